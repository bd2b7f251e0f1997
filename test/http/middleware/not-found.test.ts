import { expect } from 'chai';
import { context } from '../../support/clients/raw-connection.js';
import { request } from '../../support/clients/request.js';
import { assertConforms } from '../../support/contract/conformance.js';
import { answerOf, apiError } from '../../support/contract/response.js';
import { startService, type TestService } from '../../support/servers/service.js';

const unknownPath = apiError(404, 'route_not_found', 'There is no such path. Compare it with /openapi.yaml.');
const unknownMethod = (allow: string) =>
  apiError(405, 'method_not_allowed', `This path has only the methods ${allow}.`, { allow });

/** Every path of the contract, with the methods that it has. */
const paths: readonly (readonly [path: string, allow: string])[] = [
  ['/v1/pets', 'GET, HEAD, OPTIONS, POST'],
  ['/v1/pets/1', 'GET, HEAD, OPTIONS'],
  ['/v1/pets/not-an-id', 'GET, HEAD, OPTIONS'],
  ['/v1/store/orders', 'GET, HEAD, OPTIONS'],
];

describe('an unknown route', () => {
  let service: TestService;
  before(async () => {
    service = await startService();
    await request(service).post('/v1/pets').send({ name: 'Rex', categoryId: 7 }).expect(201);
  });
  after(() => service.close());

  /** Sends the target as it stands: an HTTP library would tidy it up. */
  const send = async (method: string, target: string, authorization = `Bearer ${service.token}`) => {
    const lines = ['Host: pets.example', `Authorization: ${authorization}`, 'Connection: close', '', ''];
    const answer = await context(service, `${method} ${target} HTTP/1.1\r\n${lines.join('\r\n')}`);
    assertConforms(method, target.replace(/^https?:\/\/[^/?]*/i, ''), answer);
    return answerOf(answer);
  };

  const unknown = [
    '/favicon.ico',
    '/docs/',
    '/v1',
    '/v1/',
    '/v2/pets',
    '/v1/pet',
    '/v1/petsx',
    '/v1/Pets',
    '/V1/pets',
    '/pets',
    '/v1/store',
    '/v1x/pets',
  ];
  const slashes = [
    '/v1/pets/',
    '/v1/pets/1/',
    '/v1/pets//',
    '/v1//pets',
    '//v1/pets',
    '/v1/store/orders/',
    '/v1/pets/1/2',
  ];
  const oddities = [
    '/v1/p%65ts',
    '/v1%2Fpets',
    '/v1/%zz',
    '/%zz',
    '/%',
    '/v1/../v1/pets',
    '/v1/./pets',
    '/v1/pets;a=1',
    '*',
  ];
  const prototypes = ['/v1/constructor', '/v1/__proto__', '/v1/store/toString', '/constructor', '/__proto__'];
  for (const target of [...unknown, ...slashes, ...oddities, ...prototypes, `/v1/${'x'.repeat(7996)}`]) {
    it(`returns 404: ${target.slice(0, 40)}`, async () => {
      expect(await send('GET', target)).to.deep.equal(unknownPath);
    });
  }

  it('returns 404 without a key and with an invalid key', async () => {
    for (const authorization of ['', 'Basic x', 'Bearer x']) {
      expect(await send('GET', '/v1/nothing', authorization)).to.deep.equal(unknownPath);
    }
  });

  it('returns 404 for every method, including OPTIONS', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']) {
      expect(await send(method, '/v1/nothing')).to.deep.equal(unknownPath);
    }
    expect(answerOf(await request(service).head('/v1/nothing'))).to.deep.equal({
      status: 404,
      headers: { 'content-type': 'application/json' },
    });
  });

  for (const [path, allow] of paths) {
    it(`does not include other methods of ${path}: they return 405, with or without a key`, async () => {
      const others = ['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND'].filter(
        (method) => !allow.includes(method),
      );
      for (const method of others) {
        expect(await send(method, path)).to.deep.equal(unknownMethod(allow));
        expect(await send(method, path, '')).to.deep.equal(unknownMethod(allow));
        expect(await send(method, `${path}?limit=0`)).to.deep.equal(unknownMethod(allow));
      }
    });

    it(`does not include OPTIONS ${path}: it returns 204 with Allow, with or without a key`, async () => {
      for (const token of [service.token, null]) {
        const response = await request(service, token).options(path);
        expect(answerOf(response)).to.deep.equal({ status: 204, headers: { allow } });
      }
    });

    it(`does not include HEAD ${path}: it returns the headers of GET`, async () => {
      const got = await request(service).get(path);
      const response = await request(service).head(path);
      expect(answerOf(response)).to.deep.equal({ status: answerOf(got).status, headers: answerOf(got).headers });
      expect(response.headers).to.include({ 'content-length': String(Buffer.byteLength(got.text)) });
    });
  }

  it('does not include a known path in absolute form, with any host', async () => {
    for (const origin of ['http://pets.example', 'HTTP://evil.example:8080', 'https://[::1]']) {
      expect((await send('GET', `${origin}/v1/pets?limit=1`)).body).to.deep.equal([
        { id: 1, name: 'Rex', categoryId: 7, status: 'available' },
      ]);
      expect((await send('GET', `${origin}/v1/pets?limit=0`)).status).to.equal(400);
      expect(await send('GET', `${origin}/v1/nothing`)).to.deep.equal(unknownPath);
    }
    for (const target of ['http://pets.example', 'http://pets.example?x=/v1/pets']) {
      expect(await send('GET', target)).to.deep.equal({ status: 302, headers: { location: 'docs' } });
    }
  });
});
