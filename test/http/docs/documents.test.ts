import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Response } from 'supertest';
import { contractUrl, readContract } from '#src/openapi/load-contract.js';
import { publishedDocument } from '#src/openapi/published-document.js';
import { request } from '../../support/clients/request.js';
import { apiError, responseOf } from '../../support/contract/response.js';
import { startService, useService } from '../../support/servers/service.js';

const contract = readFileSync(contractUrl);
const methodNotAllowed = apiError(405, 'method_not_allowed', 'This path supports only GET, HEAD, OPTIONS.', {
  allow: 'GET, HEAD, OPTIONS',
});

describe('documents', () => {
  const service = useService();

  const sendRequest = (path: string, method: 'get' | 'head') =>
    request(service, null)[method](path).set('Accept-Encoding', 'gzip');
  const get = (path: string) => sendRequest(path, 'get').buffer(true).parse(readBytes);
  const html = async () => (await request(service, null).get('/docs')).text;
  /** The URLs that the page loads. */
  const assets = async () =>
    [...(await html()).matchAll(/(?:src|href)="(docs\/[^"]+)"/g)].map(([, target = '']) => `/${target}`);

  it('include the contract byte for byte, without a key', async () => {
    const response = await get('/openapi.yaml').expect(200).expect('Content-Type', 'application/yaml');
    expect(contract.equals(response.body as Buffer)).to.equal(true);
    expect(response.headers).to.include({ 'content-length': String(contract.length) });
    expect(response.headers).not.to.have.property('content-encoding');
  });

  it('include the published contract as JSON', async () => {
    const response = await request(service, null)
      .get('/openapi.json')
      .expect(200)
      .expect('Content-Type', 'application/json');
    const { document } = await readContract(contractUrl);
    expect(response.body).to.deep.equal(JSON.parse(JSON.stringify(publishedDocument(document))));
  });

  for (const path of ['/openapi.yaml', '/openapi.json', '/docs', '/docs/page.js', '/docs/viewer.js']) {
    it(`have a strong ETag and return 304 for a matching If-None-Match: ${path}`, async () => {
      const { headers } = await get(path).expect(200);
      const etag = String(headers['etag']);
      expect(etag).to.match(/^"[^"]+"$/);
      for (const known of [etag, `"other", ${etag}`, `W/${etag}`, '*']) {
        for (const method of ['get', 'head'] as const) {
          const response = await sendRequest(path, method).set('If-None-Match', known).expect(304);
          expect(response.text).to.be.oneOf([undefined, '']);
          expect(response.headers).to.include({ etag, 'cache-control': 'no-cache' });
        }
      }
      await request(service, null).get(path).set('If-None-Match', '"other"').expect(200);
    });

    it(`support HEAD and OPTIONS, and return 405 for other methods: ${path}`, async () => {
      const { headers } = await get(path);
      const head = await sendRequest(path, 'head').expect(200);
      expect(head.text).to.equal(undefined);
      expect(head.headers).to.include({ etag: headers['etag'], 'content-length': headers['content-length'] });
      expect((await request(service, null).options(path).expect(204)).headers).to.include({
        allow: 'GET, HEAD, OPTIONS',
      });
      for (const method of ['post', 'put', 'delete'] as const) {
        expect(responseOf(await request(service, null)[method](path))).to.deep.equal(methodNotAllowed);
      }
    });

    it(`have no Server or rate-limit headers: ${path}`, async () => {
      expect((await get(path)).headers).not.to.have.any.keys('x-powered-by', 'server', 'x-ratelimit-limit');
    });
  }

  it('may be read from every origin, with 304 too', async () => {
    for (const path of ['/openapi.yaml', '/openapi.json']) {
      const { headers } = await get(path).set('Origin', 'https://editor.example').expect(200);
      expect(headers).to.include({
        'access-control-allow-origin': '*',
        'cross-origin-resource-policy': 'cross-origin',
      });
      const preflight = await request(service, null)
        .options(path)
        .set('Origin', 'https://editor.example')
        .set('Access-Control-Request-Method', 'GET')
        .set('Access-Control-Request-Headers', 'if-none-match');
      expect(responseOf(preflight)).to.deep.equal({
        status: 204,
        headers: {
          allow: 'GET, HEAD, OPTIONS',
          'access-control-allow-origin': '*',
          'access-control-allow-methods': 'GET, HEAD',
          'access-control-allow-headers': 'If-None-Match',
        },
      });
    }
    expect((await get('/docs').set('Origin', 'https://editor.example')).headers).not.to.have.property(
      'access-control-allow-origin',
    );
  });

  it('may be read from every origin if the API allows listed origins only', async () => {
    const listed = await startService({ CORS_ORIGINS: 'https://shop.example' });
    for (const origin of ['https://shop.example', 'https://editor.example']) {
      const { headers } = await request(listed, null).get('/openapi.json').set('Origin', origin).expect(200);
      expect(headers).to.include({ 'access-control-allow-origin': '*' });
    }
    await listed.close();
  });

  it('are compressed for clients that accept gzip, with a separate ETag', async () => {
    const [plain, compressed] = [
      await get('/openapi.json').set('Accept-Encoding', 'identity'),
      await get('/openapi.json').set('Accept-Encoding', 'br, gzip'),
    ];
    expect(plain.headers).to.include({ vary: 'Accept-Encoding' }).and.not.have.property('content-encoding');
    expect(compressed.headers).to.include({ vary: 'Accept-Encoding', 'content-encoding': 'gzip' });
    expect((compressed.body as Buffer).equals(plain.body as Buffer)).to.equal(true);
    expect(compressed.get('etag')).not.to.equal(plain.get('etag'));
  });

  it('include a viewer that the build has compressed with Brotli and gzip', async () => {
    const tags = new Set<string | undefined>();
    for (const [accepted, coding] of [
      ['gzip, deflate, br, zstd', 'br'],
      ['gzip, deflate', 'gzip'],
      ['br;q=0, gzip;q=0.5', 'gzip'],
      ['identity', undefined],
    ] as const) {
      const { headers } = await sendRequest('/docs/viewer.js', 'head').set('Accept-Encoding', accepted).expect(200);
      expect(headers['content-encoding'], accepted).to.equal(coding);
      expect(headers).to.include({ vary: 'Accept-Encoding' });
      tags.add(headers['etag']);
    }
    expect(tags.size).to.equal(3);
  });

  it('include a page that loads its assets from this server only, under immutable URLs', async () => {
    const targets = await assets();
    expect(targets.map((target) => target.split('?')[0])).to.include.members(['/docs/viewer.js', '/docs/page.css']);
    expect(await html()).not.to.match(/(src|href)="(https?:)?\/\//);
    for (const target of targets) {
      expect((await get(target).expect(200)).headers).to.include({
        'cache-control': 'public, max-age=31536000, immutable',
      });
      const { headers } = await get(target.replace(/\?.*/, '?v=of-another-release')).expect(200);
      expect(headers).to.include({ 'cache-control': 'no-cache' });
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

  it('are the target of a relative redirect from the root', async () => {
    const response = await request(service, null).get('/').redirects(0).expect(302);
    expect(responseOf(response)).to.deep.equal({ status: 302, headers: { location: 'docs' } });
    const slash = await request(service, null).get('/docs/').redirects(0).expect(302);
    expect(responseOf(slash)).to.deep.equal({ status: 302, headers: { location: '../docs' } });
    expect(responseOf(await request(service, null).post('/'))).to.deep.equal(methodNotAllowed);
  });

  it('return 404 for similar paths', async () => {
    const targets = [
      '/openapi.yaml/',
      '/OPENAPI.yaml',
      '/openapi.yml',
      '/v1/openapi.yaml',
      '/v1/openapi.json',
      '/Docs',
    ];
    for (const target of [
      ...targets,
      '/docs/page.ts',
      '/docs/documents.ts',
      '/docs/../package.json',
      '/docs/%2e%2e/package.json',
    ]) {
      await request(service, null).get(target).expect(404);
    }
  });
});

function readBytes(response: Response, done: (error: Error | null, body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  response.on('data', (chunk: Buffer) => chunks.push(chunk));
  response.on('end', () => done(null, Buffer.concat(chunks)));
}
