import { expect } from 'chai';
import { sendRaw } from '../../support/clients/raw-connection.js';
import { request } from '../../support/clients/request.js';
import { assertConforms } from '../../support/contract/conformance.js';
import {
  allowedMethods,
  basePath,
  operations,
  unknownMethod,
  unknownPath,
  validRequestTo,
} from '../../support/contract/contract-requests.js';
import { apiError, responseOf } from '../../support/contract/response.js';
import { startService, type TestService } from '../../support/servers/service.js';

const notFound = (method: string, path: string) => {
  const shown = path.length > 64 ? `${path.slice(0, 64)}…` : path;
  const message = `No route matches ${method} ${shown}. See /docs for the available paths.`;
  return apiError(404, 'route_not_found', message);
};
const methodNotAllowed = (allow: string) =>
  apiError(405, 'method_not_allowed', `This path supports only ${allow}.`, { allow });

/** The prefixes of paths of the contract that are not paths themselves. */
const parents = operations
  .map(({ path }) => path.slice(0, path.lastIndexOf('/')))
  .filter((parent) => parent !== '' && !parent.includes('{') && allowedMethods(parent) === 'OPTIONS')
  .map((parent) => `${basePath}${parent}`);
const allMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', unknownMethod];

describe('an unknown route', () => {
  let service: TestService;
  before(async () => {
    service = await startService();
    await request(service).post('/v1/pets').send({ name: 'Rex', categoryId: 7 }).expect(201);
  });

  /** Sends the target unchanged: an HTTP library would normalize it. */
  const send = async (method: string, target: string, authorization = `Bearer ${service.token}`) => {
    const lines = ['Host: pets.example', `Authorization: ${authorization}`, 'Connection: close', '', ''];
    const response = await sendRaw(service, `${method} ${target} HTTP/1.1\r\n${lines.join('\r\n')}`);
    assertConforms(method, target.replace(/^https?:\/\/[^/?]*/i, ''), response);
    return responseOf(response);
  };

  const unknown = [
    '/favicon.ico',
    '/v1',
    '/v1/',
    '/v2/pets',
    '/v1/pets_',
    '/v1/petsX',
    '/v1/Pets',
    '/V1/pets',
    '/pets',
    ...parents,
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
    '/v1/p%2565ts',
    '/v1/p%65ts/%zz',
    '/v1%2Fpets',
    '/v1/%zz',
    '/%zz',
    '/%',
    '/v1/../v1/pets',
    '/v1/./pets',
    '/v1/pets;a=1',
    '*',
  ];
  const prototypes = ['/v1/hasOwnProperty', '/v1/__proto__', '/v1/store/toString', '/constructor', '/__proto__'];
  for (const target of [...unknown, ...slashes, ...oddities, ...prototypes, `/v1/${'X'.repeat(7996)}`]) {
    it(`returns 404: ${target.slice(0, 40)}`, async () => {
      expect(await send('GET', target)).to.deep.equal(notFound('GET', target));
    });
  }

  for (const [target, message] of [
    ['/v1/cat%73', 'No route matches GET /v1/cats. See /docs for the available paths.'],
    ['/v1/%2E/pets', 'No route matches GET /v1/./pets. See /docs for the available paths.'],
    ['/v1/%E2%82%AC', 'No route matches GET /v1/%E2%82%AC. See /docs for the available paths.'],
  ] as const) {
    it(`is named in the message without needless percent-encoding: ${target}`, async () => {
      expect((await send('GET', target)).body).to.include({ message });
    });
  }

  it('does not include a path with percent-encoded letters, digits, dots, hyphens, underscores or tildes', async () => {
    const lines = ['Host: pets.example', `Authorization: Bearer ${service.token}`, 'Connection: close', '', ''];
    const paths = { '/v1/p%65ts': '/v1/pets', '/%761/%70et%73': '/v1/pets', '/v1/p%65ts/%31': '/v1/pets/1' };
    const documents = { '/openapi%2Eyaml': '/openapi.yaml', '/%64ocs': '/docs', '/healt%68z': '/healthz' };
    for (const [encoded, target] of Object.entries({ ...paths, ...documents })) {
      const responses = [];
      for (const sent of [target, encoded, `http://pets.example${encoded}`]) {
        const response = await sendRaw(service, `GET ${sent} HTTP/1.1\r\n${lines.join('\r\n')}`);
        assertConforms('GET', target, response);
        responses.push({ status: response.status, text: response.text });
      }
      const [expected] = responses;
      expect(expected?.status).to.equal(200);
      expect(responses, encoded).to.deep.equal([expected, expected, expected]);
    }
  });

  it('returns 404 without a key and with an invalid key', async () => {
    for (const authorization of ['', 'Basic x', 'Bearer x']) {
      expect(await send('GET', unknownPath, authorization)).to.deep.equal(notFound('GET', unknownPath));
    }
  });

  it('returns 404 for every method, including OPTIONS', async () => {
    for (const method of [...allMethods, 'OPTIONS']) {
      expect(await send(method, unknownPath)).to.deep.equal(notFound(method, unknownPath));
    }
    expect(responseOf(await request(service).head(unknownPath))).to.deep.equal({
      status: 404,
      headers: { 'content-type': 'application/json' },
    });
  });

  for (const path of new Set(operations.map((operation) => operation.path))) {
    const allow = allowedMethods(path);
    const at = operations.filter((operation) => operation.path === path);
    const { target = '' } = at[0] === undefined ? {} : validRequestTo(at[0]);

    it(`does not include other methods of ${path}: they return 405, with or without a key`, async () => {
      for (const method of allMethods.filter((known) => !allow.split(', ').includes(known))) {
        expect(await send(method, target)).to.deep.equal(methodNotAllowed(allow));
        expect(await send(method, target, '')).to.deep.equal(methodNotAllowed(allow));
        expect(await send(method, `${target}?limit=0`)).to.deep.equal(methodNotAllowed(allow));
      }
    });

    it(`does not include OPTIONS ${path}: it returns 204 with Allow, with or without a key`, async () => {
      for (const token of [service.token, null]) {
        const response = await request(service, token).options(target);
        expect(responseOf(response)).to.deep.equal({ status: 204, headers: { allow } });
      }
    });

    if (!allow.includes('GET')) continue;
    it(`does not include HEAD ${path}: it returns the headers of GET`, async () => {
      const got = await request(service).get(target);
      const response = await request(service).head(target);
      expect(responseOf(response)).to.deep.equal({ status: responseOf(got).status, headers: responseOf(got).headers });
      expect(response.headers).to.include({ 'content-length': String(Buffer.byteLength(got.text)) });
    });
  }

  it('OPTIONS * returns 204 with the methods of every path', async () => {
    const allow = [...new Set(operations.flatMap(({ path }) => allowedMethods(path).split(', ')))].sort().join(', ');
    for (const authorization of [`Bearer ${service.token}`, '']) {
      expect(await send('OPTIONS', '*', authorization)).to.deep.equal({ status: 204, headers: { allow } });
    }
  });

  it('does not include other methods of a path whose parameter is invalid', async () => {
    const allow = allowedMethods('/pets/{petId}');
    expect(await send(unknownMethod, '/v1/pets/not-an-id')).to.deep.equal(methodNotAllowed(allow));
  });

  it('does not include a known path in absolute form, with any host', async () => {
    for (const origin of ['http://pets.example', 'HTTP://evil.example:8080', 'https://[::1]']) {
      expect((await send('GET', `${origin}/v1/pets?limit=1`)).body).to.deep.equal([
        { id: 1, name: 'Rex', categoryId: 7, status: 'available' },
      ]);
      expect((await send('GET', `${origin}/v1/pets?limit=0`)).status).to.equal(400);
      expect(await send('GET', `${origin}${unknownPath}`)).to.deep.equal(notFound('GET', unknownPath));
    }
    for (const target of ['http://pets.example', 'http://pets.example?x=/v1/pets']) {
      expect(await send('GET', target)).to.deep.equal({ status: 302, headers: { location: 'docs' } });
    }
  });
});
