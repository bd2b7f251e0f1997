import { RawConnection, sendRaw } from '@contract-server/test-support/clients/raw-connection.js';
import {
  chunked,
  creation,
  creationHead,
  host,
  json,
  lengthOf,
  message,
  toy,
} from '@contract-server/test-support/clients/raw-requests.js';
import { apiError, responseOf } from '@contract-server/test-support/contract/response.js';
import { assertConforms, request, useNewToys, useToys } from '@contract-server/test-support/servers/toys.js';
import { expect } from 'chai';

const bytesMax = 65_536;
const tooLarge = apiError(413, 'body_too_large', 'The body exceeds 65536 bytes. Shorten it.');

/** The pet as JSON text of a given length in bytes, padded with blanks, which count for the limit. */
const padded = (bytes: number) => toy.padEnd(bytes, ' ');

describe('the length of a request body', () => {
  const service = useNewToys();

  const post = (body: string) => request(service).post('/v1/toys').type('json').send(body);
  const open = (bytes: string) => RawConnection.open(service, bytes);
  const expectTooLarge = async (connection: RawConnection) => {
    const response = await connection.readResponse();
    assertConforms('POST', '/v1/toys', response);
    expect(responseOf(response)).to.deep.equal(tooLarge);
    expect(response.headers).to.include({ connection: 'close' });
  };

  it('may be 65,536 bytes', async () => {
    await post(padded(bytesMax)).expect(201);
    const inChunks = `${creationHead(service, json, chunked)}10000\r\n${padded(bytesMax)}\r\n0\r\n\r\n`;
    expect((await sendRaw(service, inChunks)).status).to.equal(201);
  });

  it('returns 413 with one byte more, and is counted in bytes, not in characters', async () => {
    expect(responseOf(await post(padded(bytesMax + 1)))).to.deep.equal(tooLarge);
    const text = `{"name":"Block","weight":100,"x":"${'🐕'.repeat(16_384)}"}`;
    expect(text.length).to.be.below(bytesMax);
    expect(responseOf(await post(text))).to.deep.equal(tooLarge);
    await expectTooLarge(await open(`${creationHead(service, json, chunked)}10001\r\n${padded(bytesMax + 1)}`));
    await request(service).get('/v1/toys').expect(200, []);
  });

  it('returns 413 at once and reads the rest for a second at most, so that the response is not lost', async () => {
    const head = creationHead(service, json, 'Content-Length: 500000');
    const [abandoned, completed] = [await open(head), await open(head)];
    for (const connection of [abandoned, completed]) await expectTooLarge(connection);
    for (const connection of [abandoned, completed]) await connection.whenEnded();
    completed.send(Buffer.alloc(500_000, ' '));
    completed.endSending();
    await completed.whenClosed();
    expect(completed.isReset).to.equal(false);
  });

  it('leaves the connection open after a small body that was rejected unread', async () => {
    const connection = await open(`${creationHead(service, 'Content-Type: text/plain', 'Content-Length: 5')}hello`);
    expect((await connection.readResponse()).status).to.equal(415);
    connection.send(creation(service, toy));
    expect((await connection.readResponse()).status).to.equal(201);
  });

  it('is not checked before authentication, which is not followed by 100 Continue: 401 comes first', async () => {
    const lines = [host, 'Content-Length: 1000000000', 'Expect: 100-continue'];
    const connection = await open(message(['POST /v1/toys HTTP/1.1', ...lines]));
    expect((await connection.readResponse()).status).to.equal(401);
  });

  it('creates nothing and reports nothing if the client disconnects before the end', async () => {
    const connection = await open(creation(service, `${toy} `).slice(0, -1));
    await request(service).get('/v1/toys').expect(200, []);
    connection.end();
    await request(service).get('/v1/toys').expect(200, []);
    expect(service.reported).to.deep.equal([]);
  });
});

describe('the media type of a request body', () => {
  const service = useToys();

  const rejected = (message: string, headers = {}) =>
    apiError(415, 'unsupported_media_type', message, { accept: 'application/json', ...headers });
  const wrongMessage = 'Send the body as JSON: Content-Type: application/json.';
  const post = (headers: Readonly<Record<string, string>>, body = toy) =>
    request(service)
      .post('/v1/toys')
      .set({ 'Content-Type': 'application/json', ...headers })
      .send(body);

  for (const type of [
    ...['application/json', 'Application/JSON', 'application/json; charset=utf-8', 'application/json;charset=UTF-8'],
    ...['application/json; charset="utf-8"', 'application/json ; foo=bar', 'application/json; CharSet="UTF\\-8"'],
    'application/json; foo="; charset=utf-16"; charset=utf-8',
  ])
    it(`is accepted: ${type}`, () => post({ 'Content-Type': type }).expect(201));

  const charset = (name: string) =>
    `Charset \`${name}\` is not supported. Send the body in UTF-8: Content-Type: application/json.`;
  for (const [type, message] of [
    ...['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/plain', 'text/json', '*/*']
      .concat('application/jsonp', 'application/merge-patch+json')
      .map((each) => [each, wrongMessage] as const),
    ...['iso-8859-1', 'utf8', 'utf-16'].map((name) => [`application/json; charset=${name}`, charset(name)] as const),
  ])
    it(`returns 415: ${type}`, async () => {
      expect(responseOf(await post({ 'Content-Type': type }))).to.deep.equal(rejected(message));
    });

  it('returns 415 if it is missing, and before 413', async () => {
    const response = await sendRaw(service, creationHead(service, lengthOf(toy)) + toy);
    assertConforms('POST', '/v1/toys', response);
    expect(responseOf(response)).to.deep.equal(rejected(wrongMessage));
    await post({ 'Content-Type': 'text/plain' }, padded(bytesMax + 1)).expect(415);
  });

  it('returns 415 for a compressed body', async () => {
    const expected = rejected('Send the body without Content-Encoding.', { 'accept-encoding': 'identity' });
    for (const encoding of ['gzip', 'br', 'deflate', 'identity, gzip'])
      expect(responseOf(await post({ 'Content-Encoding': encoding }))).to.deep.equal(expected);
    await post({ 'Content-Encoding': 'Identity' }).expect(201);
  });
});
