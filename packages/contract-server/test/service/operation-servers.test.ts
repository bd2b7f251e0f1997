import type { Links } from '@contract-server/core/contract/links.js';
import { errorsOf } from '@contract-server/test-support/contract/contract-errors.js';
import { anyJson, echoApp, echoContract } from '@contract-server/test-support/contract/echo-app.js';
import { expect } from 'chai';
import express from 'express';
import supertest from 'supertest';

const get = (operationId: string, servers?: readonly string[]) => ({
  get: { operationId, responses: anyJson, ...(servers && { servers: servers.map((url) => ({ url })) }) },
});
const paths = {
  '/pets': get('usual'),
  '/same': get('same', ['https://api.example/v1/']),
  '/files': { servers: [{ url: 'https://files.example/upload' }], ...get('ofPath') },
  '/both': { servers: [{ url: '/upload' }], ...get('ofOperation', ['https://x.example', '/other/{version}']) },
  '/root': get('atRoot', ['https://files.example']),
};
const ids = ['usual', 'same', 'ofPath', 'ofOperation', 'atRoot'];
const contract = echoContract([], '/x', { servers: [{ url: 'https://api.example/v1' }], paths }).replace(
  '/other/{version}',
  '/other/v2',
);

/** Returns the URLs of all operations. */
const linksOf = (_request: object, { links }: { readonly links: Links }) =>
  Promise.resolve({ status: 200, body: ids.map((id) => links.to(id)) });
const handlers = Object.fromEntries(ids.map((id) => [id, linksOf])) as object;
const serve = (options: object = {}) => echoApp(contract, { handlers, ...options }, []);

describe('the servers of a path or an operation', () => {
  it('have the path prefix below which the operation is served, and linked to', async () => {
    const app = await serve();
    const expected = ['/v1/pets', '/v1/same', '/upload/files', '/other/v2/both', '/root'];
    for (const path of expected) await supertest(app).get(path).expect(200, expected);
    for (const path of ['/v1/files', '/upload/both', '/v1/both', '/v1/root', '/upload'])
      await supertest(app)
        .get(path)
        .expect(404, /route_not_found/);
    // Without a prefix, unknown paths are those of the application.
    for (const path of ['/files', '/pets'])
      await supertest(app)
        .get(path)
        .expect(404, /Cannot GET/);
    await supertest(app).post('/upload/files').expect(405).expect('Allow', 'GET, HEAD, OPTIONS');
  });

  it('keep their path prefix below a mount path, which replaces that of the root', async () => {
    const app = express().use('/shop', await serve({ publicBaseUrl: 'https://shop.example/shop' }));
    const expected = ['/pets', '/same', '/upload/files', '/other/v2/both', '/root'];
    const urls = expected.map((path) => `https://shop.example/shop${path}`);
    for (const path of expected) await supertest(app).get(`/shop${path}`).expect(200, urls);
    await supertest(app).get('/shop/files').expect(404);
  });

  it('are linked to below the origin of a public base URL with the prefix of the root', async () => {
    const app = await serve({ publicBaseUrl: 'https://api.example/v1' });
    const urls = ['/v1/pets', '/v1/same', '/upload/files', '/other/v2/both', '/root'];
    await supertest(app)
      .get('/root')
      .expect(
        200,
        urls.map((path) => `https://api.example${path}`),
      );
  });

  it('must have valid URLs, and must not lead to the path of another operation', async () => {
    const problemsOf = (changed: object) => errorsOf({ 'contract.yaml': echoContract([], '/x', { paths: changed }) });
    expect((await problemsOf({ '/a': get('a', ['http://a b']) }))[0]).to.contain(
      'a: The URL http://a b of the server is invalid.',
    );
    expect((await problemsOf({ '/a': get('a', ['/v1']), '/v1/a': get('b') })).join()).to.contain(
      'b: GET /v1/a has the same path as a; keep one of them.',
    );
  });
});
