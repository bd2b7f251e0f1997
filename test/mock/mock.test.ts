import { expect } from 'chai';
import type { OpenAPIV3 } from 'openapi-types';
import { createPetstoreClient } from '#src/client/petstore-client.js';
import { type OperationEntry, resolve } from '#src/openapi/document.js';
import { assertMockConforms, type ReceivedResponse } from '../support/contract/conformance.js';
import {
  allowedMethods,
  basePath,
  document,
  exampleValues,
  operations,
  unknownMethod,
  unknownPath,
  validRequestTo,
} from '../support/contract/contract-requests.js';
import { apiError, responseOf, success } from '../support/contract/response.js';
import { startMock, type TestMock } from '../support/servers/mock.js';

interface Case {
  readonly entry: OperationEntry;
  readonly status: string;
  readonly name: string;
  readonly value: unknown;
}

const unknown = unknownPath.slice(basePath.length);
const rex = { name: 'Rex', categoryId: 7, status: 'available' };
const mia = { name: 'Mia', categoryId: -3, status: 'sold' };
const twoPets = [
  { id: 1, ...rex },
  { id: 2, ...mia },
];
const post = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"name":"Rex","categoryId":7}' };

/** Every response example of the contract, for every operation that can return it, by its status. */
const cases = operations.flatMap((entry) =>
  Object.entries(entry.operation.responses).flatMap(([declared, node]) => {
    const { content } = resolve<OpenAPIV3.ResponseObject>(document, node);
    return Object.entries(exampleValues(content?.['application/json'])).flatMap(([name, value]): Case[] => {
      const status = declared === 'default' ? String((value as { status: number }).status) : declared;
      return declared === 'default' && status in entry.operation.responses ? [] : [{ entry, status, name, value }];
    });
  }),
);

describe('the mock server', () => {
  let mock: TestMock;
  before(async () => (mock = await startMock()));
  after(async () => {
    expect(mock.reported).to.deep.equal([]);
    await mock.close();
  });

  /** Sends a request and validates the response against the contract, as that of the path `at`. */
  const send = async (path: string, init: RequestInit = {}, at = path): Promise<ReceivedResponse> => {
    const response = await mock.send(path, init);
    const { 'preference-applied': _applied, ...headers } = response.headers;
    assertMockConforms(init.method ?? 'GET', `/v1${at}`, { ...response, headers });
    return response;
  };
  const prefer = (preferences: string) => ({ headers: { Prefer: preferences } });

  it('has more than 50 examples', () => {
    expect(cases).to.have.length.greaterThan(50);
  });

  /** Sends a valid request to an operation. */
  const sendTo = (entry: OperationEntry, preferences: Readonly<Record<string, string>> = {}) => {
    const { method = '', target, headers, body } = validRequestTo(entry);
    const path = target.slice(basePath.length);
    const json = body === undefined ? {} : { 'Content-Type': 'application/json' };
    const init = { method, headers: { ...json, ...headers, ...preferences }, body: body ?? null };
    return send(path, init);
  };

  for (const { entry, status, name, value } of cases) {
    const id = String(entry.operation.operationId);
    it(`returns the example ${name} of ${id} for Prefer: code=${status}, example=${name}`, async () => {
      const response = await sendTo(entry, { Prefer: `code=${status}, example=${name}` });
      expect({ status: response.status, body: JSON.parse(response.text) as unknown }).to.deep.equal({
        status: Number(status),
        body: value,
      });
      expect(response.headers).to.include({ 'preference-applied': `code=${status}, example=${name}` });
    });
  }

  describe('without a Prefer header', () => {
    for (const entry of operations) {
      it(`returns the declared success response of ${String(entry.operation.operationId)}, otherwise 501`, async () => {
        const statuses = Object.keys(entry.operation.responses);
        const { status } = await sendTo(entry);
        expect(String(status)).to.equal(statuses.find((declared) => declared.startsWith('2')) ?? '501');
      });
    }

    it('returns the first example of the success response, with URLs of the mock server', async () => {
      expect(responseOf(await send('/pets'))).to.deep.equal(success(200, twoPets));
      expect(responseOf(await send('/p%65ts', {}, '/pets'))).to.deep.equal(success(200, twoPets));
      const link = `<${mock.baseUrl}/pets?limit=2&cursor=Mi4udjdwYnVw>; rel="next"`;
      const selected = responseOf(await send('/pets', prefer('example=twoPets')));
      expect(selected.headers).to.include({ link });
      const location = `${mock.baseUrl}/pets/1`;
      expect(responseOf(await send('/pets', post))).to.deep.equal(success(201, { id: 1, ...rex }, { location }));
    });

    it('sends Deprecation and Sunset for a deprecated operation', async () => {
      const deprecation = {
        deprecation: '@1795132800',
        sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
        link:
          `<${mock.baseUrl}/pets>; rel="successor-version", <${mock.contractUrl}>; rel="deprecation"; ` +
          'type="application/yaml"',
      };
      expect(responseOf(await send('/pets/1'))).to.deep.equal(success(200, { id: 1, ...rex }, deprecation));
    });

    it('returns 501 for a reserved operation', async () => {
      const body = apiError(501, 'not_implemented', 'listOrders is not implemented. Do not call it yet.');
      expect(responseOf(await send('/store/orders'))).to.deep.equal(body);
    });

    it('returns pages without duplicates to a client that follows the links', async () => {
      const client = createPetstoreClient({ baseUrl: mock.baseUrl, apiKey: 'anything' });
      for (const limit of [1, 2, 100]) {
        const pets = [];
        for await (const pet of client.pets({ limit })) pets.push(pet.name);
        expect(pets).to.deep.equal(['Rex', 'Mia']);
      }
      const sold = [];
      for await (const pet of client.pets({ limit: 1, status: 'sold' })) sold.push(pet.name);
      expect(sold).to.deep.equal(['Mia']);
    });

    it('sends the rate-limit headers of the examples', async () => {
      const { headers } = await send('/pets');
      expect(headers).to.include({
        'x-ratelimit-limit': '60',
        'x-ratelimit-remaining': '59',
        'x-ratelimit-reset': '1795176060',
        'ratelimit-policy': '"minute";q=60;w=60, "day";q=1000;w=86400',
        ratelimit: '"minute";r=59;t=60, "day";r=999;t=86400',
      });
    });

    it('returns no body for HEAD, and serves the contract and the readiness check', async () => {
      const head = await send('/pets', { method: 'HEAD' });
      expect([head.status, head.text]).to.deep.equal([200, '']);
      const contract = await fetch(mock.contractUrl);
      expect(await contract.text()).to.match(/^openapi: 3\.0\.4\n/);
      expect((await fetch(new URL('/readyz', mock.baseUrl))).status).to.equal(200);
    });
  });

  describe('validates requests, with or without a Prefer header', () => {
    const preferSuccess = prefer('code=200').headers;

    it('returns 401 without an API key, and accepts any key', async () => {
      const challenge = { 'www-authenticate': 'Bearer realm="petstore"' };
      const body = apiError(401, 'missing_api_key', 'Send your API key: Authorization: Bearer <API_KEY>.', challenge);
      for (const Authorization of ['', 'Bearer', 'Basic YTpi']) {
        expect(responseOf(await send('/pets', { headers: { ...preferSuccess, Authorization } }))).to.deep.equal({
          ...body,
        });
      }
      expect((await send('/pets', { headers: { Authorization: 'bearer  x' } })).status).to.equal(200);
    });

    it('returns 400 with the errors of the path, the query, the headers and the body', async () => {
      const messages: unknown[] = [];
      const record = async (path: string, init: RequestInit = {}) => {
        const response = await send(path, {
          ...init,
          headers: { ...preferSuccess, ...(init.headers as Record<string, string>) },
        });
        expect(response.status).to.equal(400);
        messages.push((JSON.parse(response.text) as { message: unknown }).message);
      };
      await record('/pets/Rex');
      await record('/pets?limit=101&page=2');
      await record('/pets', { ...post, headers: { ...post.headers, 'Idempotency-Key': 'my key' } });
      await record('/pets', { ...post, body: '{"id":1,"name":""}' });
      await record('/pets', { ...post, body: '{"name":"Rex",' });
      await record('/pets/100%');
      expect(messages).to.deep.equal([
        '`petId` must be an integer from -9223372036854775808 to 9223372036854775807.',
        'Unknown query parameter `page`; allowed: `limit`, `status`, `cursor`. `limit` must be an integer ' +
          'from 1 to 100.',
        '`Idempotency-Key` must have 1 to 255 visible ASCII characters, bare or in double quotes, in a single ' +
          'line.',
        'Missing body field `categoryId`. Unknown body field `id`; allowed: `name`, `categoryId`, `status`. ' +
          '`name` must have at least one visible character, and no control characters.',
        'The body is not valid JSON: unexpected end of JSON, after 14 characters.',
        'The URL has an invalid percent-encoding. Encode a percent sign as %25.',
      ]);
    });

    it('returns 415 for another media type, and 413 for a body that is too large', async () => {
      const accept = { accept: 'application/json' };
      const form = await send('/pets', { method: 'POST', headers: { 'Content-Type': 'text/plain' }, body: 'Rex' });
      const message = 'Send the body as JSON: Content-Type: application/json.';
      expect(responseOf(form)).to.deep.equal(apiError(415, 'unsupported_media_type', message, accept));
      const long = await send('/pets', { ...post, body: ' '.repeat(65_537) });
      expect(responseOf(long)).to.deep.equal(
        apiError(413, 'body_too_large', 'The body exceeds 65536 bytes. Shorten it.'),
      );
    });

    it('returns 404 for an unknown path, 405 for an unknown method, and Allow for OPTIONS', async () => {
      const nothing = apiError(
        404,
        'route_not_found',
        `No route matches GET ${unknownPath}. See /docs for the available paths.`,
      );
      expect(responseOf(await send(unknown, { headers: preferSuccess }))).to.deep.equal(nothing);
      const allow = allowedMethods('/pets');
      const other = await send('/pets', { method: unknownMethod, headers: preferSuccess });
      const message = `This path supports only ${allow}.`;
      expect(responseOf(other)).to.deep.equal(apiError(405, 'method_not_allowed', message, { allow }));
      const options = await send('/pets', { method: 'OPTIONS', headers: { Authorization: '' } });
      expect(responseOf(options)).to.deep.equal({ status: 204, headers: { allow } });
    });
  });

  it('allows the origins of CORS_ORIGINS', async () => {
    const open = await startMock({ CORS_ORIGINS: 'https://shop.example' });
    const headers = { Origin: 'https://shop.example', Prefer: 'code=429' };
    const response = await open.send('/pets', { headers });
    expect(response.headers).to.include({ 'access-control-allow-origin': 'https://shop.example' });
    await open.close();
  });
});
