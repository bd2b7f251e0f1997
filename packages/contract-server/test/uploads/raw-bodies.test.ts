import { expect } from 'chai';
import express, { type Express } from 'express';
import supertest from 'supertest';
import { uploadsRouter } from './uploads.js';

describe('a body that is a file', () => {
  let app: Express;
  before(async () => {
    app = express().use(await uploadsRouter());
  });
  const put = (type: string, body: Buffer) => supertest(app).put('/v1/images').set('Content-Type', type).send(body);

  it('is streamed to the handler, with the media type that the client sent', async () => {
    const response = await put('image/PNG; q=1', Buffer.alloc(99_000, 'a')).expect(200);
    const file = { name: null, mediaType: 'image/png', size: 99_000, text: 'a'.repeat(20) };
    expect(response.body).to.deep.equal({ declared: 'image/*', streamed: 99_000, ...file });
  });

  it('returns 415 for a media type outside of the range, and 413 for too many bytes', async () => {
    const response = await put('text/plain', Buffer.from('a')).expect(415);
    expect(response.body).to.include({ message: 'Send the body with this media type: Content-Type: image/*.' });
    expect(response.headers).to.include({ accept: 'image/*' });
    await put('image/png', Buffer.alloc(100_001)).expect(413);
  });

  it('is required if the contract says so: 400', async () => {
    const response = await supertest(app).put('/v1/images').expect(400);
    expect(response.body).to.include({ code: 'invalid_request', message: 'The body is required.' });
  });
});

describe('a body of one of several media types', () => {
  let app: Express;
  before(async () => {
    app = express().use(await uploadsRouter());
  });
  const post = (type: string, body: string | Buffer) =>
    supertest(app)
      .post('/v1/notes')
      .set('Content-Type', type)
      .serialize((sent) => sent as string)
      .send(body as string);

  const accepted: readonly (readonly [type: string, body: string, mediaType: string, note: unknown])[] = [
    ['application/json', '{"text":"Milk"}', 'application/json', 'Milk'],
    ['application/vnd.note+json', '{"title":"Milk"}', 'application/*+json', 'Milk'],
    ['text/plain; charset=utf-8', 'mélk', 'text/plain', 'MÉLK'],
    ['application/xml', '<text>Milk</text>', 'application/xml', '<TEXT>MILK</TEXT>'],
    [
      'application/octet-stream',
      'Milk',
      'application/octet-stream',
      { name: null, mediaType: 'application/octet-stream', size: 4, text: 'Milk' },
    ],
  ];
  for (const [type, body, mediaType, note] of accepted) {
    it(`has the type of ${type}`, async () => {
      const response = await post(type, body).expect(200);
      expect(response.body).to.deep.equal({ mediaType, note });
    });
  }

  it('may be missing', async () => {
    const response = await supertest(app).post('/v1/notes').expect(200);
    expect(response.body).to.deep.equal({ mediaType: null, note: null });
  });

  const rejected: readonly (readonly [type: string, body: string | Buffer, status: number, message: string])[] = [
    ['application/json', '{"title":"Milk"}', 400, 'Missing body field `text`.'],
    ['application/vnd.note+json', '{"text":"Milk"}', 400, 'Missing body field `title`.'],
    ['application/json', '{', 400, 'The body is not valid JSON'],
    ['text/plain', 'too long a note', 400, 'The body must have at most 10 characters.'],
    ['text/plain; charset=latin1', 'Milk', 415, 'Charset `latin1` is not supported.'],
    ['text/plain', Buffer.from([0xff]), 400, 'The body is not valid UTF-8.'],
    [
      'image/png',
      'Milk',
      415,
      'Send the body with one of these media types: Content-Type: application/json, text/plain',
    ],
    ['nonsense', 'Milk', 415, 'Send the body with one of these media types'],
  ];
  for (const [type, body, status, message] of rejected) {
    it(`returns ${String(status)} for ${type}: ${String(body)}`, async () => {
      const response = await post(type, body).expect(status);
      expect((response.body as { readonly message: string }).message).to.include(message);
    });
  }
});
