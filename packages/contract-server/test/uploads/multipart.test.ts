import { createServer } from 'node:http';
import type { ContractTypes } from '@contract-server/core/types/types.js';
import { sendRaw } from '@contract-server/test-support/clients/raw-connection.js';
import { place } from '@contract-server/test-support/contract/contract-errors.js';
import { listen } from '@contract-server/test-support/servers/listen.js';
import { expect } from 'chai';
import express, { type Express } from 'express';
import supertest from 'supertest';
import { createRouter } from '#src/index.js';
import { uploadsRouter } from './uploads.js';

const png = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const image = { filename: 'a.png', contentType: 'image/png' };
const described = { name: 'a.png', mediaType: 'image/png', size: 8, text: png.toString('latin1') };

describe('a multipart body', () => {
  let app: Express;
  before(async () => {
    app = express().use(await uploadsRouter());
  });

  const post = () => supertest(app).post('/v1/profiles');
  const minimal = () => post().field('name', 'Ann').attach('avatar', png, image);
  const raw = (body: string | Buffer, type = 'multipart/form-data; boundary=x') =>
    post()
      .set('Content-Type', type)
      .serialize((sent) => sent as string)
      .send(body as string);
  const disposition = (name: string, rest = '') => `Content-Disposition: form-data; name="${name}"${rest}\r\n`;
  const part = (name: string, text: string, headers = '') => `--x\r\n${disposition(name, headers)}\r\n${text}\r\n`;
  const avatar = part('avatar', 'bytes', '; filename="a.png"\r\nContent-Type: image/png');

  it('has typed fields, files and the defaults of the contract', async () => {
    const response = await minimal()
      .field('age', '41')
      .field('address', '{"city":"Rome","zip":187}')
      .field('history', '{"city":"Oslo"}')
      .field('history', '{"city":"Bern"}')
      .attach('photos', png, { filename: '../../b.gif', contentType: 'image/gif' })
      .attach('photos', Buffer.alloc(200_000, 'z'), 'c.bin');
    expect(response.status, response.text).to.equal(200);
    expect(response.body).to.deep.equal({
      name: 'Ann',
      age: 41,
      isSubscribed: false,
      address: { city: 'Rome', zip: 187 },
      history: [{ city: 'Oslo' }, { city: 'Bern' }],
      avatar: described,
      photos: [
        { ...described, name: 'b.gif', mediaType: 'image/gif' },
        { name: 'c.bin', mediaType: 'application/octet-stream', size: 200_000, text: 'z'.repeat(20) },
      ],
    });
  });

  it('may have an array of one file, and an array of objects in one part', async () => {
    const response = await minimal()
      .attach('photos', png, image)
      .field('history', '[{"city":"Oslo"},{"city":"Bern"}]')
      .expect(200);
    expect(response.body).to.deep.include({ photos: [described], history: [{ city: 'Oslo' }, { city: 'Bern' }] });
  });

  const withBoundary = (parameter: string) => {
    const send = () => raw('----\r\n', `multipart/form-data${parameter}`);
    return [`with the boundary ${parameter}`, send, 'The body has no valid boundary'] as const;
  };
  const invalid: readonly (readonly [title: string, send: () => supertest.Test, message: string])[] = [
    ['without a required file', () => post().field('name', 'Ann'), 'Missing body field `avatar`.'],
    ['without a required field', () => post().attach('avatar', png, image), 'Missing body field `name`.'],
    ['with a field of a wrong type', () => minimal().field('age', '4.5'), '`age` must be an integer'],
    ['with an unknown field', () => minimal().field('color', 'red'), 'Unknown body field `color`'],
    ['with an unknown file', () => minimal().attach('other', png, image), 'Unknown body field `other`'],
    [
      'with a file that is sent twice',
      () => minimal().attach('avatar', png, image),
      '`avatar` must be sent only once.',
    ],
    ['with an empty field', () => post().field('name', '').attach('avatar', png, image), '`name` must have at least'],
    ['with JSON that is none', () => minimal().field('address', 'Rome'), '`address` must be a JSON object.'],
    ['with a wrong value in JSON', () => minimal().field('address', '{"zip":1}'), 'Missing body field `address.city`.'],
    [
      'with a file of another media type',
      () => post().field('name', 'Ann').attach('avatar', png, { filename: 'a.gif', contentType: 'image/gif' }),
      '`avatar` must have one of these media types: image/png, image/jpeg.',
    ],
    [
      'with too many files for an array',
      () => [1, 2, 3, 4].reduce((test) => test.attach('photos', png, image), minimal()),
      '`photos` must have at most 3 items.',
    ],
    ...[
      '',
      '; boundary',
      '; boundary=',
      '; boundary=""',
      '; boundary="x "',
      '; boundary=x*',
      '; boundary="x\u00fc"',
    ].map((boundary) => withBoundary(boundary)),
    withBoundary(`; boundary=${'x'.repeat(71)}`),
    ['without its last boundary', () => raw(avatar), 'The body is not valid multipart/form-data'],
    ['that ends within a part', () => raw(avatar.slice(0, -9)), 'The body is not valid multipart/form-data'],
    ['that is not multipart', () => raw('{"name":"Ann"}'), 'The body is not valid multipart/form-data'],
    [
      'with a field that is not UTF-8',
      () => raw(Buffer.from(`${avatar}${part('name', '\xff')}--x--\r\n`, 'latin1')),
      '`name` is not valid UTF-8.',
    ],
  ];
  for (const [title, send, message] of invalid) {
    it(`returns 400 ${title}`, async () => {
      const response = await send();
      expect(response.body, response.text).to.include({ code: 'invalid_request', status: 400 });
      expect((response.body as { readonly message: string }).message).to.include(message);
    });
  }

  it('returns 400 with a file of another media type, also if its schema allows anything', async () => {
    const media = { schema: { properties: { logo: {} } }, encoding: { logo: { contentType: 'image/png' } } };
    const requestBody = { content: { 'multipart/form-data': media } };
    const paths = { '/logos': { post: { operationId: 'addLogo', requestBody, responses: {} } } };
    const document = { openapi: '3.1.1', info: { title: 'Logos', version: '1.0.0' }, paths };
    const { url } = place({ 'api.json': JSON.stringify(document) });
    const handlers = { addLogo: () => Promise.resolve({ status: 204 }) } as object;
    const logos = express().use(await createRouter<ContractTypes>()({ contract: url, handlers }));
    const send = (contentType: string) =>
      supertest(logos).post('/logos').attach('logo', png, { filename: 'a', contentType });
    await send('image/png').expect(204);
    const response = await send('text/html').expect(400);
    expect(response.body).to.include({ message: '`logo` must have one of these media types: image/png.' });
  });

  const boundaries = ['x', "a'()+_,-./:=? b", 'x'.repeat(70)];
  for (const boundary of boundaries)
    it(`may have the boundary ${boundary}`, async () => {
      const body = `${avatar}${part('name', 'Ann')}--x--\r\n`.replaceAll('--x', `--${boundary}`);
      // Of two boundaries, the first one applies.
      await raw(body, `multipart/form-data; Boundary="${boundary}"; boundary=y`).expect(200);
    });

  const unreadable: readonly (readonly [title: string, head: string, reason: string])[] = [
    ['without headers', '', 'no Content-Disposition'],
    ['without Content-Disposition', 'X: y\r\n', 'no Content-Disposition'],
    ['that is no form-data', 'Content-Disposition: attachment; name="x"\r\n', 'no Content-Disposition'],
    ['without a name', 'Content-Disposition: form-data; filename="name=x"\r\n', 'no Content-Disposition'],
    ['without parameters', 'Content-Disposition: form-data\r\n', 'no Content-Disposition'],
    ['with a line feed in its name', 'Content-Disposition: form-data; name="x\ny"\r\n', 'malformed'],
    ['with a carriage return in its name', 'Content-Disposition: form-data; name="x\ry"\r\n', 'malformed'],
    ['with a line break in its name', 'Content-Disposition: form-data; name="x\r\ny"\r\n', 'malformed'],
    ['with a header in its name', 'Content-Disposition: form-data; name="x\r\ny: z"\r\n', 'malformed'],
    ['with two names', 'Content-Disposition: form-data; name="x"\r\n'.repeat(2), 'malformed'],
    [
      'with an encoded line break in its file name',
      'Content-Disposition: form-data; name="avatar"; filename*=utf-8\'\'a%0Ab\r\n',
      'a part is incomplete',
    ],
    ['with long headers', `${disposition('x')}X: ${'y'.repeat(8200)}\r\n`, 'its headers exceed 8192 bytes'],
  ];
  for (const [title, head, reason] of unreadable) {
    it(`returns 400 for a part ${title}`, async () => {
      const response = await raw(`${part('name', 'Ann')}${avatar}--x\r\n${head}\r\n${'x'.repeat(9000)}\r\n--x--\r\n`);
      expect(response.body, response.text).to.include({ code: 'invalid_request', status: 400 });
      expect((response.body as { readonly message: string }).message).to.include(reason);
    });
  }

  const cut = disposition('age').slice(0, -2);
  const incomplete: readonly (readonly [title: string, lines: string, boundary?: string])[] = [
    ['without a line after its boundary', '--x\r\n'],
    ['that ends after its first header', `--x\r\n${disposition('age')}`],
    ['that ends within its headers', `--x\r\n${cut}`],
    ['whose headers end with a boundary', `--x\r\n${cut}\r\n${part('age', '41')}`],
    ['whose headers contain a boundary that looks like a header', `--x:\r\n${cut}\r\n--x:\r\n\r\n41\r\n`, 'x:'],
    ['with text behind its boundary', `--xy\r\n${disposition('age')}\r\n41\r\n`],
  ];
  for (const [title, lines, boundary = 'x'] of incomplete)
    it(`returns 400 for a part ${title}, as the first and as the last one`, async () => {
      const others = `${part('name', 'Ann')}${avatar}`.replaceAll('--x', `--${boundary}`);
      const type = `multipart/form-data; boundary="${boundary}"`;
      for (const parts of [others + lines, lines + others]) {
        const response = await raw(`${parts}--${boundary}--\r\n`, type);
        expect(response.body, response.text).to.include({ code: 'invalid_request', status: 400 });
      }
    });

  it('may have spaces and tabs after each boundary (RFC 2046)', async () => {
    const body = `${part('name', 'Ann')}${avatar}--x--\r\n`.replaceAll(/--x(?:--)?/g, '$& \t ');
    expect((await raw(body).expect(200)).body).to.include({ name: 'Ann' });
    expect((await sendByteByByte(body)).status).to.equal(200);
  });

  const sendByteByByte = async (body: string) => {
    const server = createServer(app);
    await listen(server);
    const head = 'POST /v1/profiles HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary="x"';
    const chunks = body.replace(/[^]/g, '1\r\n$&\r\n');
    return sendRaw({ server }, `${head}\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`);
  };

  it('reads headers that arrive byte by byte, a preamble, an epilogue, and escaped names', async () => {
    const body = `preamble --x\r\n${avatar}${part('name', 'Ann\r\n--', '; x="\\""')}--x--\r\n--x\r\nepilogue`;
    const { status, text } = await sendByteByByte(body);
    expect(status, text).to.equal(200);
    expect(JSON.parse(text)).to.deep.include({ name: 'Ann\r\n--' });
  });

  it('takes a file from a part without a file name, and text from one with a file name', async () => {
    const body = part('name', 'Ann', '; filename="name.txt"') + part('avatar', 'bytes', '\r\nContent-Type: image/png');
    const response = await raw(`${body}--x--\r\n`).expect(200);
    const file = { name: null, mediaType: 'image/png', size: 5, text: 'bytes' };
    expect(response.body).to.deep.include({ name: 'Ann', avatar: file });
  });

  it('returns 413 for too many parts, too many values in a part, and too many bytes', async () => {
    const many = [...Array(11).keys()].reduce((test) => test.field('history', '{"city":"Oslo"}'), minimal());
    expect((await many).body).to.include({
      code: 'body_too_large',
      message: 'The body has more than 10 parts. Shorten it.',
    });
    const values = await minimal().field('history', JSON.stringify(Array(20).fill({ city: 'Oslo' })));
    expect(values.body).to.include({ code: 'body_too_large' });
    const shared = ['[1,1,1,1]', '[1,1,1,1]'].reduce((test, text) => test.field('history', text), minimal());
    expect((await shared).body).to.include({ message: 'The body has more than 10 values. Shorten it.' });
    const long = await post().field('name', 'Ann').attach('avatar', Buffer.alloc(400_000), image);
    expect(long.body).to.include({ code: 'body_too_large', message: 'The body exceeds 300000 bytes. Shorten it.' });
  });
});
