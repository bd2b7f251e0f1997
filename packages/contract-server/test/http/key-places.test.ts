import { errorsOf } from '@contract-server/test-support/contract/contract-errors.js';
import { anyJson, echoApp, echoContract } from '@contract-server/test-support/contract/echo-app.js';
import { LogLines } from '@contract-server/test-support/log-lines.js';
import { expect } from 'chai';
import express from 'express';
import { pino } from 'pino';
import supertest from 'supertest';

const key = (place: string, name: string) => ({ type: 'apiKey', in: place, name });
const contractWith = (scheme: object, members: object = {}, security: object[] = [{ key: [] }]) =>
  echoContract([{ in: 'query', name: 'page', schema: { type: 'integer' } }], '/items', {
    security,
    components: { securitySchemes: { key: scheme, cert: { type: 'mutualTLS' } } },
    ...members,
  });
const security = { key: (credentials: string) => (credentials === 'secret' ? { id: 'ann' } : undefined) };
const serve = (contract: string, options: object = {}) => echoApp(contract, { security, ...options } as object);

describe('an API key', () => {
  const missing = (place: string) => ({
    code: 'missing_credentials',
    message: `Send your credentials${place}.`,
    status: 401,
  });

  it('in the query identifies the caller, and is no parameter of the operation', async () => {
    const app = await serve(contractWith(key('query', 'api_key')));
    const body: unknown = (await supertest(app).get('/items?api_key=secret&page=2').expect(200)).body;
    expect(body).to.deep.equal({ path: {}, query: { page: 2 }, header: {}, cookie: {} });
    for (const query of ['', '?api_key=', '?API_KEY=secret']) {
      const response = await supertest(app)
        .get(`/items${query}`)
        .expect(401, missing(' in the query parameter `api_key`'));
      expect(response.headers).to.include({ 'www-authenticate': 'ApiKey realm="Echo", in="query", name="api_key"' });
    }
    for (const query of ['?api_key=other', '?api_key=secret&api_key=secret', '?api_key=%zz']) {
      const response = await supertest(app).get(`/items${query}`).expect(401);
      expect(response.headers['www-authenticate'], query).to.contain('error="invalid_token"');
    }
    await supertest(app).get('/items?api_key=secret&x=1').expect(400, {
      code: 'invalid_request',
      message: 'Unknown query parameter `x`; allowed: `page`.',
      status: 400,
    });
  });

  it('in the query is not in the log or the message of an error', async () => {
    const log = new LogLines();
    const handlers = { echo: () => Promise.reject(new Error('broken')) };
    const app = await serve(contractWith(key('query', 'api_key')), { handlers, logger: pino(log) });
    await supertest(app).get('/items?api_key=secret').expect(500);
    await supertest(app).get('/items?api_key=secret&page=x').expect(400, /page/);
    expect(log.lines).to.have.length(1);
    expect(log.text).not.to.contain('secret');
  });

  it('in the query is no field of an object that allows any', async () => {
    const contract = echoContract([{ in: 'query', name: 'filter', schema: { type: 'object' } }], '/items', {
      security: [{ key: [] }],
      components: { securitySchemes: { key: key('query', 'api_key') } },
    });
    const response = await supertest(await serve(contract))
      .get('/items?api_key=secret&x=1')
      .expect(200);
    expect((response.body as { readonly query: unknown }).query).to.deep.equal({ filter: { x: '1' } });
  });

  it('in a cookie identifies the caller, and is not passed to the handler', async () => {
    const app = await serve(contractWith(key('cookie', 'session')));
    const found = await supertest(app).get('/items').set('Cookie', 'a=b; session=secret').expect(200);
    expect(found.body).to.deep.equal({ path: {}, query: {}, header: {}, cookie: {} });
    const response = await supertest(app)
      .get('/items')
      .set('Cookie', 'sessions=secret')
      .expect(401, missing(' in the cookie `session`'));
    expect(response.headers).to.include({ 'www-authenticate': 'ApiKey realm="Echo", in="cookie", name="session"' });
    const twice = ['; ', ';', ';\t', '\t;\t ', '; a=b;'].flatMap((separator) => [
      `session=secret${separator}session=other`,
      `session=other${separator}session=secret`,
      `session=secret${separator}session =secret`,
    ]);
    for (const cookie of ['session=other', ...twice])
      await supertest(app).get('/items').set('Cookie', cookie).expect(401);
  });

  for (const name of ['Authorization', 'Accept', 'X-Key'])
    it(`in the header ${name} identifies the caller`, async () => {
      const app = await serve(contractWith(key('header', name)));
      await supertest(app).get('/items').set(name, 'secret').expect(200);
      await supertest(app).get('/items').set(name, 'Bearer secret').expect(401);
    });

  it('in the query works below a mount path', async () => {
    const app = express().use('/shop', await serve(contractWith(key('query', 'api_key'))));
    await supertest(app).get('/shop/items?api_key=secret').expect(200);
    await supertest(app).get('/shop/items').expect(401);
  });

  it('is an alternative to a client certificate, which no request has', async () => {
    const app = await serve(contractWith(key('query', 'api_key'), {}, [{ cert: [] }, { key: [] }]));
    await supertest(app).get('/items?api_key=secret').expect(200);
    await supertest(app).get('/items').expect(401, missing(' in the query parameter `api_key`'));
  });

  it('is missing in a contract that requires a client certificate, which is refused', async () => {
    const message =
      'The operation requires a client certificate (mutualTLS), which is not supported; add an alternative.';
    for (const requirement of [[{ cert: [] }], [{ cert: [], key: [] }]]) {
      const lines = await errorsOf({ 'contract.yaml': contractWith(key('header', 'X-Key'), {}, requirement) });
      expect(lines).to.have.length(1);
      expect(lines[0]).to.contain(message);
    }
    // A scheme that no operation requires does not matter.
    await serve(contractWith(key('header', 'X-Key')));
    await serve(contractWith(key('header', 'X Key'), {}, []), { security: {} });
  });

  it('in the query is no unknown parameter of an operation that needs none', async () => {
    const paths = { '/open': { get: { operationId: 'echo', security: [], responses: anyJson } } };
    const app = await serve(contractWith(key('query', 'api_key'), { paths }));
    await supertest(app).get('/open?api_key=wrong').expect(200);
  });
});
