import { expect } from 'chai';
import express, { type Express } from 'express';
import supertest, { type Response } from 'supertest';
import { uploadsRouter } from './uploads.js';

/** A form, and what the handler receives, or the message of the 400. */
type Case = readonly [form: string, received: object | string];

const nothing = { total: 1 };
const cases: readonly Case[] = [
  ['sku=ab', { sku: 'ab' }],
  ['sku=a%20b+c&count=9223372036854775807&express=true', { sku: 'a b c', total: '9223372036854775807', express: true }],
  ['sku=ab&tags=x&tags=y,z', { sku: 'ab', tags: ['x', 'y,z'] }],
  ['sku=ab&tags=x', { sku: 'ab', tags: ['x'] }],
  ['sku=ab&card[months][]=1&card[months][]=1', { sku: 'ab', card: { months: [1, 1] }, months: [1, 1] }],
  ['sku=ab&sizes=1,2,3', { sku: 'ab', sizes: [1, 2, 3] }],
  ['sku=ab&sizes=4', { sku: 'ab', sizes: [4] }],
  ['sku=ab&address={"city":"Rome","zip":187}', { sku: 'ab', address: { city: 'Rome', zip: 187 } }],
  ['sku=ab&address[city]=Rome&address[zip]=187', { sku: 'ab', address: { city: 'Rome', zip: 187 } }],
  [
    'sku=ab&card[number]=0042&card[months][]=1&card[months][]=2',
    { sku: 'ab', card: { number: '0042', months: [1, 2] }, months: [1, 2] },
  ],
  ['sku=ab&card%5Bmonths%5D%5B0%5D=7', { sku: 'ab', card: { months: [7] }, months: [7] }],
  ['sku=ab&tags[]=x&tags[]=y', { sku: 'ab', tags: ['x', 'y'] }],
  ['count=1', 'Missing body field `sku`.'],
  ['sku=a', '`sku` must have at least 2 characters.'],
  ['sku=ab&count=1e3', '`count` must be an integer'],
  ['sku=ab&count=9223372036854775808', '`count` must be an integer'],
  ['sku=ab&express=1', '`express` must be true or false.'],
  ['sku=ab&sku=cd', '`sku` must be sent only once.'],
  ['sku=ab&color=red', 'Unknown body field `color`'],
  ['sku=ab&__proto__=x', 'Unknown body field `__proto__`'],
  ['sku=ab&__proto__[polluted]=x', 'Unknown body field `__proto__[polluted]`'],
  ['sku=ab&card[__proto__][polluted]=x', JSON.parse('{"sku":"ab","card":{"__proto__":{"polluted":"x"}}}') as object],
  ['sku=ab&labels[10]=x&labels[2000]=y&labels[a b]=z', { sku: 'ab', labels: { 10: 'x', 2000: 'y', 'a b': 'z' } }],
  ['sku=ab&tags[0]=x&tags[1]=y&tags[]=z', { sku: 'ab', tags: ['x', 'y', 'z'] }],
  ['sku=ab&tags[101]=x', '`tags` must have arrays of at most 100 items.'],
  ['sku=ab&card[number]x=1', 'Unknown body field `card[number]x`'],
  ['sku=ab&card[number=1', 'Unknown body field `card[number`'],
  ['sku=ab&sizes=1,,3', '`sizes.1` must be an integer'],
  ['sku=ab&address=Rome', '`address` must be a JSON object.'],
  ['sku=ab&address={"city":"Rome","city":"Oslo"}', '`address` must be a JSON object.'],
  ['sku=ab&address[city]=Rome&address[zip]=x', '`address.zip` must be an integer'],
  ['sku=ab&address[zip]=1', 'Missing body field `address.city`.'],
  [`sku=ab&card${'[a]'.repeat(20)}=1`, 'The body has fields of more than 10 levels.'],
  ['sku=%', 'The body has an invalid percent-encoding. Encode a percent sign as %25.'],
  ['sku=%FF', 'The body has an invalid percent-encoding. Encode a percent sign as %25.'],
];

describe('a form', () => {
  let app: Express;
  before(async () => {
    app = express().use(await uploadsRouter());
  });

  const post = (body: string, type = 'application/x-www-form-urlencoded') =>
    supertest(app).post('/v1/orders').set('Content-Type', type).send(body);

  for (const [form, received] of cases) {
    it(`${typeof received === 'string' ? 'is rejected' : 'has typed values'}: ${form.slice(0, 80)}`, async () => {
      const response = await post(form).buffer(true).parse(exactText);
      const body = JSON.parse(String(response.body).replace(/:(\d{17,})/g, ':"$1"')) as Readonly<
        Record<string, unknown>
      >;
      if (typeof received === 'string') {
        expect(body).to.include({ code: 'invalid_request', status: 400 });
        expect(body['message']).to.include(received);
      } else {
        expect(response.status, JSON.stringify(body)).to.equal(200);
        expect(body).to.deep.equal({ mediaType: 'application/x-www-form-urlencoded', ...nothing, ...received });
      }
    });
  }

  it('may have parameters in its media type, and only UTF-8 as charset', async () => {
    await post('sku=ab', 'Application/X-WWW-Form-Urlencoded; charset=UTF-8').expect(200);
    const response = await post('sku=ab', 'application/x-www-form-urlencoded; charset=latin1').expect(415);
    expect(response.body).to.include({ code: 'unsupported_media_type' });
    expect(response.headers).to.include({ accept: 'application/x-www-form-urlencoded' });
  });

  it('returns 400 for bytes that are not UTF-8', async () => {
    const response = await supertest(app)
      .post('/v1/orders')
      .set('Content-Type', 'application/x-www-form-urlencoded')
      .serialize((body) => body as string)
      .send(Buffer.from('sku=\xff\xfe', 'latin1') as unknown as string)
      .expect(400);
    expect(response.body).to.include({ code: 'invalid_request', message: 'The body is not valid UTF-8.' });
  });

  it('returns 413 for too many fields and too many bytes', async () => {
    const many = await post(`sku=ab${'&tags=x'.repeat(20)}`).expect(413);
    expect(many.body).to.include({ code: 'body_too_large', message: 'The body has more than 20 fields. Shorten it.' });
    await post(`sku=ab&address=[${'1,'.repeat(30)}1]`).expect(413);
    const shared = await post(`sku=ab&sizes=${'1,'.repeat(12)}1&address=[1,1,1,1,1,1]`).expect(413);
    expect(shared.body).to.include({ message: 'The body has more than 20 values. Shorten it.' });
    const long = await post(`sku=${'a'.repeat(65_536)}`).expect(413);
    expect(long.body).to.include({ code: 'body_too_large', message: 'The body exceeds 65536 bytes. Shorten it.' });
  });

  it('returns 400 for a missing body, and 415 for another media type', async () => {
    const missing = await supertest(app).post('/v1/orders').expect(400);
    expect(missing.body).to.include({ message: 'The body is required.' });
    const json = await supertest(app).post('/v1/orders').send({ sku: 'ab' }).expect(415);
    expect(json.body).to.include({
      message: 'Send the body with this media type: Content-Type: application/x-www-form-urlencoded.',
    });
  });
});

/** The body as text, because integers can be longer than numbers of JavaScript. */
function exactText(response: Response, done: (error: Error | null, body: string) => void): void {
  const chunks: Buffer[] = [];
  response.on('data', (chunk: Buffer) => chunks.push(chunk));
  response.on('end', () => done(null, Buffer.concat(chunks).toString()));
}
