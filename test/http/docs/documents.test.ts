import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Response } from 'supertest';
import { ServedDocument } from '#src/http/docs/served-document.js';
import { contractUrl } from '#src/openapi/load-contract.js';
import { publishedDocument } from '#src/openapi/published-document.js';
import { request } from '../../support/clients/request.js';
import { document } from '../../support/contract/contract-requests.js';
import { apiError, responseOf } from '../../support/contract/response.js';
import { startService, useService } from '../../support/servers/service.js';

const contract = readFileSync(contractUrl);
const allow = 'GET, HEAD, OPTIONS';
const methodNotAllowed = apiError(405, 'method_not_allowed', `This path supports only ${allow}.`, { allow });
const origin = 'https://editor.example';

describe('documents', () => {
  const service = useService();

  const send = (path: string, method: 'get' | 'head', headers: Readonly<Record<string, string>> = {}) =>
    request(service, null)
      [method](path)
      .set({ 'Accept-Encoding': 'gzip', ...headers });
  const get = (path: string, headers?: Readonly<Record<string, string>>) =>
    send(path, 'get', headers).buffer(true).parse(readBytes);

  it('include the contract byte for byte, and as published in JSON, without a key', async () => {
    const yaml = await get('/openapi.yaml').expect(200).expect('Content-Type', 'application/yaml');
    expect(contract.equals(yaml.body as Buffer)).to.equal(true);
    expect(yaml.headers).to.include({ 'content-length': String(contract.length) });
    expect(yaml.headers).not.to.have.property('content-encoding');
    const json = await request(service, null).get('/openapi.json').expect('Content-Type', 'application/json');
    expect(json.body).to.deep.equal(JSON.parse(JSON.stringify(publishedDocument(document))));
  });

  for (const path of ['/openapi.yaml', '/openapi.json', '/docs', '/docs/page.js', '/docs/viewer.js']) {
    it(`have a strong ETag, return 304 for a matching If-None-Match, and support GET and HEAD only: ${path}`, async () => {
      const { headers } = await get(path).expect(200);
      expect(headers).not.to.have.any.keys('x-powered-by', 'server', 'x-ratelimit-limit');
      const etag = String(headers['etag']);
      expect(etag).to.match(/^"[^"]+"$/);
      const head = await send(path, 'head', { 'If-None-Match': '"other"' }).expect(200);
      expect(head.text).to.equal(undefined);
      expect(head.headers).to.include({ etag, 'content-length': headers['content-length'] });
      for (const known of [etag, `"other", ${etag}`, `W/${etag}`, '*']) {
        for (const method of ['get', 'head'] as const) {
          const response = await send(path, method, { 'If-None-Match': known }).expect(304);
          expect(response.text).to.be.oneOf([undefined, '']);
          expect(response.headers).to.include({ etag, 'cache-control': 'no-cache' });
        }
      }
      await request(service, null).options(path).expect(204).expect('Allow', allow);
      for (const method of ['post', 'put', 'delete'] as const)
        expect(responseOf(await request(service, null)[method](path))).to.deep.equal(methodNotAllowed);
    });
  }

  it('in YAML and JSON may be read from every origin', async () => {
    for (const path of ['/openapi.yaml', '/openapi.json']) {
      const { headers } = await get(path, { Origin: origin }).expect(200);
      const allowed = { 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' };
      expect(headers).to.include(allowed);
      const requested = { 'Access-Control-Request-Method': 'GET', 'Access-Control-Request-Headers': 'if-none-match' };
      const preflight = await request(service, null)
        .options(path)
        .set({ Origin: origin, ...requested });
      const methods = { allow, 'access-control-allow-methods': 'GET, HEAD' };
      expect(responseOf(preflight)).to.deep.equal({
        status: 204,
        headers: { ...methods, 'access-control-allow-origin': '*', 'access-control-allow-headers': 'If-None-Match' },
      });
    }
    expect((await get('/docs', { Origin: origin })).headers).not.to.have.property('access-control-allow-origin');
    // It takes precedence over the origins of the API.
    const listed = await startService({ CORS_ORIGINS: origin });
    await request(listed, null).get('/openapi.json').set('Origin', origin).expect('Access-Control-Allow-Origin', '*');
  });

  for (const [path, accepted, coding] of [
    ['/openapi.json', 'br, gzip', 'gzip'],
    ['/docs/viewer.js', 'gzip, deflate, br, zstd', 'br'],
    ['/docs/viewer.js', 'gzip, deflate', 'gzip'],
    ['/docs/viewer.js', 'br;q=0, gzip;q=0.5', 'gzip'],
  ] as const) {
    it(`are compressed for clients that accept it, with a separate ETag: ${path} with ${accepted}`, async () => {
      const plain = await get(path, { 'Accept-Encoding': 'identity' }).expect(200);
      expect(plain.headers).to.include({ vary: 'Accept-Encoding' }).and.not.have.property('content-encoding');
      const encoded = await get(path, { 'Accept-Encoding': accepted }).expect(200);
      expect(encoded.headers).to.include({ vary: 'Accept-Encoding', 'content-encoding': coding });
      expect(encoded.get('etag')).not.to.equal(plain.get('etag'));
      // supertest decodes gzip only.
      if (coding === 'gzip') expect((encoded.body as Buffer).equals(plain.body as Buffer)).to.equal(true);
    });
  }

  it('include a page that loads its assets from this server only, under immutable URLs', async () => {
    const html = (await request(service, null).get('/docs')).text;
    expect(html).not.to.match(/(src|href)="(https?:)?\/\//);
    const targets = [...html.matchAll(/(?:src|href)="(docs\/[^"]+)"/g)].map(([, target = '']) => `/${target}`);
    expect(targets.map((target) => target.split('?')[0])).to.include.members(['/docs/viewer.js', '/docs/page.css']);
    for (const target of targets) {
      await send(target, 'head').expect(200).expect('Cache-Control', 'public, max-age=31536000, immutable');
      const other = target.replace(/\?.*/, '?v=of-another-release');
      await send(other, 'head').expect(200).expect('Cache-Control', 'no-cache');
    }
  });

  it('include a page with a strict Content-Security-Policy', async () => {
    const { headers } = await get('/docs').expect(200).expect('Content-Type', 'text/html; charset=utf-8');
    expect(headers).to.include({
      'content-security-policy':
        "default-src 'none';script-src 'self';style-src 'self' 'unsafe-inline';img-src 'self' data:;connect-src 'self';" +
        "base-uri 'none';form-action 'none';frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
    expect(headers).not.to.have.property('strict-transport-security');
  });

  it('are the target of relative redirects from / and /docs/', async () => {
    for (const [path, location] of [
      ['/', 'docs'],
      ['/docs/', '../docs'],
    ] as const) {
      const response = await request(service, null).get(path).redirects(0);
      expect(responseOf(response)).to.deep.equal({ status: 302, headers: { location } });
      expect(responseOf(await request(service, null).post(path))).to.deep.equal(methodNotAllowed);
    }
  });

  it('return 404 for similar paths', async () => {
    for (const path of [
      ...['/openapi.yaml/', '/OPENAPI.yaml', '/openapi.yml', '/v1/openapi.yaml', '/v1/openapi.json', '/Docs'],
      ...['/docs/page.ts', '/docs/documents.ts', '/docs/../package.json', '/docs/%2e%2e/package.json'],
    ])
      await request(service, null).get(path).expect(404);
  });
});

describe('ServedDocument', () => {
  it('is read once for concurrent requests, and again after a failure', async () => {
    let reads = 0;
    const read = async () => {
      reads += 1;
      await Promise.resolve();
      if (reads === 1) throw new Error('The disk does not respond.');
      return Buffer.from('text');
    };
    const served = new ServedDocument('text/plain', read, {});
    const results = await Promise.allSettled([served.version(), served.version()]);
    expect(results.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
    const [one, other] = await Promise.all([served.version(), served.version()]);
    expect(one).to.equal(other).and.match(/^v=/);
    expect(reads).to.equal(2);
  });
});

function readBytes(response: Response, done: (error: Error | null, body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  response.on('data', (chunk: Buffer) => chunks.push(chunk));
  response.on('end', () => done(null, Buffer.concat(chunks)));
}
