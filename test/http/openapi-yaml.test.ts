import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Response } from 'supertest';
import { contractUrl } from '#src/contract/contract-source.js';
import { request } from '../support/request.js';
import { startService, type TestService } from '../support/service.js';

describe('/openapi.yaml', () => {
  const contract = readFileSync(contractUrl);
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.close());

  const get = () => request(service, null).get('/openapi.yaml').buffer(true).parse(readBytes);

  it('is the contract byte for byte, without a key', async () => {
    const response = await get().expect(200).expect('Content-Type', 'application/yaml');
    expect(contract.equals(response.body as Buffer)).to.equal(true);
    expect(response.headers).to.include({ 'content-length': String(contract.length) });
  });

  it('has a strong ETag, and answers 304 to whoever has it already', async () => {
    const etag = (await get()).get('etag') ?? '';
    expect(etag).to.match(/^"[^"]+"$/);
    for (const known of [etag, `"other", ${etag}`, '*']) {
      const response = await request(service, null).get('/openapi.yaml').set('If-None-Match', known).expect(304);
      expect(response.text).to.equal('');
      expect(response.headers).to.include({ etag });
    }
    await request(service, null).get('/openapi.yaml').set('If-None-Match', '"other"').expect(200);
  });

  it('answers HEAD like GET, without the body', async () => {
    const { headers } = await get();
    const response = await request(service, null).head('/openapi.yaml').expect(200);
    expect(response.text).to.equal(undefined);
    expect(response.headers).to.include({ etag: headers['etag'], 'content-length': headers['content-length'] });
  });

  it('is spelt exactly so', async () => {
    for (const target of ['/openapi.yaml/', '/OPENAPI.yaml', '/openapi.yml', '/v1/openapi.yaml']) {
      await request(service, null).get(target).expect(404);
    }
  });

  it('reveals nothing about the program that serves it', async () => {
    expect((await get()).headers).not.to.have.any.keys('x-powered-by', 'server');
  });
});

function readBytes(response: Response, done: (error: Error | null, body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  response.on('data', (chunk: Buffer) => chunks.push(chunk));
  response.on('end', () => done(null, Buffer.concat(chunks)));
}

describe('/openapi.yaml, with another method', () => {
  it('answers 405 with Allow, and OPTIONS 204', async () => {
    const service = await startService();
    const response = await request(service, null).delete('/openapi.yaml').expect(405);
    expect(response.body).to.deep.equal({
      code: 'method_not_allowed',
      message: 'This path has only the methods GET, HEAD, OPTIONS.',
      status: 405,
    });
    expect(response.headers).to.include({ allow: 'GET, HEAD, OPTIONS' });
    const options = await request(service, null).options('/openapi.yaml').expect(204);
    expect(options.headers).to.include({ allow: 'GET, HEAD, OPTIONS' });
    await service.close();
  });
});
