import { errorCodesOf } from '@contract-server/core/contract/error-codes.js';
import { viewerDocument } from '@contract-server/core/contract/viewer-document.js';
import { sendRaw } from '@contract-server/test-support/clients/raw-connection.js';
import { chunked, host, message, nonsense } from '@contract-server/test-support/clients/raw-requests.js';
import { expectEqualDocuments } from '@contract-server/test-support/contract/equal-documents.js';
import { apiError, responseOf } from '@contract-server/test-support/contract/response.js';
import { contract, request, startToys, useToys } from '@contract-server/test-support/servers/toys.js';
import { expect } from 'chai';
import { documentRequestsPerMinute as requestsPerMinute } from '#src/http/limits/address-limit.js';

type Headers = Readonly<Record<string, string>>;

const paths = ['/openapi.yaml', '/openapi.json', '/docs', '/docs/openapi.json', '/docs/page.js', '/docs/viewer.js'];
const allow = 'GET, HEAD, OPTIONS';
const methodNotAllowed = apiError(405, 'method_not_allowed', `This path supports only ${allow}.`, { allow });
const origin = 'https://editor.example';
const everyOrigin = 'access-control-allow-origin';

describe('documents', () => {
  const service = useToys();

  const send = (path: string, method: 'get' | 'head', headers: Headers = {}) =>
    request(service, null)
      [method](path)
      .set({ 'Accept-Encoding': 'gzip', ...headers });
  const get = (path: string, headers?: Headers) => send(path, 'get', headers).responseType('blob');

  it('include the contract byte for byte, the same in JSON, and one for the viewer, without a key', async () => {
    const yaml = await get('/openapi.yaml').expect(200).expect('Content-Type', 'application/yaml');
    expect(contract.bytes.equals(yaml.body as Buffer)).to.equal(true);
    const published = await request(service, null).get('/openapi.json').expect('Content-Type', 'application/json');
    expectEqualDocuments(published.text, String(contract.bytes));
    const json = await request(service, null).get('/docs/openapi.json').expect('Content-Type', 'application/json');
    const codes = errorCodesOf(contract, {}, { hasApiKeys: true, hasReference: true });
    expect(json.body).to.deep.equal(JSON.parse(JSON.stringify(viewerDocument(contract, codes))));
  });

  for (const path of paths)
    it(`have a strong ETag, return 304 for a matching If-None-Match, and support GET and HEAD only: ${path}`, async () => {
      const { headers } = await get(path).expect(200);
      expect(headers).not.to.have.any.keys('x-powered-by', 'server', 'x-ratelimit-limit');
      const etag = String(headers['etag']);
      expect(etag).to.match(/^"[^"]+"$/);
      const head = await send(path, 'head', { 'If-None-Match': '"other"' }).expect(200);
      expect(head.text).to.equal(undefined);
      expect(head.headers).to.include({ etag, 'content-length': headers['content-length'] });
      for (const known of [etag, `"other", ${etag}`, `W/${etag}`, '*']) {
        const response = await send(path, 'get', { 'If-None-Match': known }).expect(304, '');
        expect(response.headers).to.include({ etag, 'cache-control': 'no-cache' });
      }
      await request(service, null).options(path).expect(204).expect('Allow', allow);
      for (const method of ['post', 'put', 'delete'] as const)
        expect(responseOf(await request(service, null)[method](path))).to.deep.equal(methodNotAllowed);
    });

  it('are not sent if the body of the request is malformed', async () => {
    const { status, headers } = await sendRaw(service, message(['GET /docs HTTP/1.1', host, chunked], nonsense));
    expect(status).to.equal(400);
    expect(headers).not.to.have.any.keys('etag', 'content-security-policy');
  });

  it('in YAML and JSON may be read from every origin', async () => {
    for (const path of ['/openapi.yaml', '/openapi.json']) {
      const { headers } = await get(path, { Origin: origin }).expect(200);
      expect(headers).to.include({ [everyOrigin]: '*', 'cross-origin-resource-policy': 'cross-origin' });
      const preflight = await request(service, null).options(path).set('Origin', origin).expect(204);
      const allowed = { 'access-control-allow-methods': 'GET,HEAD', 'access-control-allow-headers': 'If-None-Match' };
      expect(preflight.headers).to.include({ allow, [everyOrigin]: '*', ...allowed });
    }
    expect((await get('/docs', { Origin: origin })).headers).not.to.have.property(everyOrigin);
    // It takes precedence over the origins of the API.
    await request(await startToys({ CORS_ORIGINS: origin }))
      .get('/openapi.json')
      .set('Origin', origin)
      .expect(everyOrigin, '*');
  });

  for (const [path, accepted, coding] of [
    ['/openapi.json', 'br, gzip', 'gzip'],
    ['/docs/openapi.json', 'br, gzip', 'gzip'],
    ['/docs/viewer.js', 'gzip, deflate, br, zstd', 'br'],
    ['/docs/viewer.js', 'gzip, deflate', 'gzip'],
    ['/docs/viewer.js', 'br;q=0, gzip;q=0.5', 'gzip'],
  ] as const)
    it(`are compressed for clients that accept it, with a separate ETag: ${path} with ${accepted}`, async () => {
      const plain = await get(path, { 'Accept-Encoding': 'identity' }).expect(200);
      expect(plain.headers).to.include({ vary: 'Accept-Encoding' }).and.not.have.property('content-encoding');
      const encoded = await get(path, { 'Accept-Encoding': accepted }).expect(200);
      expect(encoded.headers).to.include({ vary: 'Accept-Encoding', 'content-encoding': coding });
      expect(encoded.get('etag')).not.to.equal(plain.get('etag'));
      // supertest decodes gzip only.
      if (coding === 'gzip') expect((encoded.body as Buffer).equals(plain.body as Buffer)).to.equal(true);
    });

  it('include a page with a strict Content-Security-Policy, which loads its assets from this server only', async () => {
    const { headers, text } = await request(service, null).get('/docs').expect(200);
    expect(headers).to.include({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        "default-src 'none';script-src 'self';style-src 'self' 'unsafe-inline';img-src 'self' data:;connect-src 'self';" +
        "base-uri 'none';form-action 'none';frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
    expect(headers).not.to.have.property('strict-transport-security');
    const targets = [...text.matchAll(/(?:src|href)="([^"#][^"]*)"/g)].map(([, target = '']) => `/${target}`);
    expect(targets).to.include.members(['/docs/viewer.js', '/docs/page.css', '/openapi.yaml']);
    for (const target of targets) await send(target, 'head').expect(200);
  });

  it('are the target of relative redirects from / and /docs/', async () => {
    for (const [path, location] of Object.entries({ '/': 'docs', '/docs/': '../docs' })) {
      const response = await request(service, null).get(path).redirects(0);
      expect(responseOf(response)).to.deep.equal({ status: 302, headers: { location } });
      expect(responseOf(await request(service, null).post(path))).to.deep.equal(methodNotAllowed);
    }
  });

  it('return 404 for similar paths', async () => {
    for (const path of ['/openapi.yaml/', '/OPENAPI.yaml', '/v1/openapi.json', '/docs/page.ts', '/docs/%2e%2e/main.js'])
      await request(service).get(path).expect(404);
  });
});

describe('documents beyond the limit of a client address', () => {
  const service = useToys({ TRUST_PROXY: '1' });

  const download = (path: string, address: string, headers: Headers = {}) =>
    request(service).get(path).set('X-Forwarded-For', address).set(headers);
  const useUp = async (address: string, status: number, headers?: Headers) => {
    for (let done = 0; done < requestsPerMinute; done += 1)
      await download('/docs/icon.svg', address, headers).expect(status);
  };

  it('return 429 with Retry-After, whichever of them is requested; other addresses and paths are served', async () => {
    await useUp('2001:db8:0:1::1', 200);
    for (const path of ['/docs', '/openapi.yaml', '/openapi.json', '/docs/viewer.js']) {
      const response = await download(path, '2001:db8:0:2::1').expect(429);
      expect(response.body).to.include({ code: 'rate_limit_exceeded' });
      expect(Number(response.get('retry-after'))).to.be.within(1, 60);
      const policy = `"minute";q=${String(requestsPerMinute)};w=60`;
      expect(response.headers).to.include({ 'x-ratelimit-remaining': '0', 'ratelimit-policy': policy });
    }
    await download('/docs', '2001:db8:1::1').expect(200);
    for (const path of ['/healthz', '/v1/nothing'])
      expect((await download(path, '2001:db8:0:1::1')).status).to.not.equal(429);
  });

  it('neither count nor limit a download that ends with 304', async () => {
    const known = { 'If-None-Match': '*' };
    await useUp('198.51.100.8', 304, known);
    await useUp('198.51.100.8', 200);
    const rejected = await download('/docs/icon.svg', '198.51.100.8').expect(429);
    expect(rejected.headers).not.to.have.property('etag');
    await download('/docs/icon.svg', '198.51.100.8', known).expect(304);
  });
});
