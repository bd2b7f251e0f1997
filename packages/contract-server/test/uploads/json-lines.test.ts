import { expect } from 'chai';
import express, { type Express } from 'express';
import supertest from 'supertest';
import { uploadsRouter } from './uploads.js';

describe('a body of JSON lines', () => {
  let app: Express;
  before(async () => {
    app = express().use(await uploadsRouter());
  });
  const post = (body: string) =>
    supertest(app).post('/v1/readings').set('Content-Type', 'application/x-ndjson').send(body);

  it('is an array for the handler, which returns one as lines, without fields that are writeOnly', async () => {
    const lines = ['{"id":9223372036854775807,"value":1.5,"hash":"a"}', '  ', '{"value":2}\r'];
    const response = await post(lines.join('\n')).expect(200);
    expect(response.headers).to.include({ 'content-type': 'application/x-ndjson; charset=utf-8' });
    expect(response.text).to.equal('{"id":9223372036854775807,"value":1.5}\n{"value":2}\n');
  });

  it('can be empty lines, and a handler can return its text', async () => {
    expect((await post('\n\n').expect(200)).text).to.equal('');
    expect((await post('{"value":0}').expect(200)).text).to.equal('');
  });

  it('can be empty, which is an array without items, not an omitted body', async () => {
    expect((await post('').set('Content-Length', '0').expect(200)).text).to.equal('');
    await supertest(app).post('/v1/readings').expect(400);
    await supertest(app).post('/v1/readings').set('Content-Type', 'text').set('Content-Length', '0').expect(400);
  });

  const rejected = [
    ['{"value":1}\n{"value":"high"}', 400, '`1.value` must be a number.'],
    ['{"value":1}\n{}', 400, 'Missing body field `1.value`.'],
    [Array(6).fill('{"value":1}').join('\n'), 400, 'The body must have at most 5 items.'],
    ['{"value":1}\n\n{"value":}', 400, 'The body is not valid JSON: line 3: '],
    ['{"value":1,\n"id":1}', 400, 'The body is not valid JSON: line 1: unexpected end of JSON'],
    [Array(11).fill('{"value":1}').join('\n'), 413, 'The body has more than 20 values. Shorten it.'],
  ] as const;
  for (const [body, status, message] of rejected) {
    it(`is rejected as ${JSON.stringify(body.slice(0, 40))}: ${String(status)}`, async () => {
      const response = await post(body).expect(status);
      expect((response.body as { readonly message: string }).message).to.contain(message);
    });
  }
});
