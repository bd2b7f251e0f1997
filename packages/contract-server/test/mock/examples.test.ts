import { resolve } from '@contract-server/core/contract/json-pointer.js';
import { type OperationEntry, operationsOf } from '@contract-server/core/contract/operations.js';
import { apiError, responseOf, success } from '@contract-server/test-support/contract/response.js';
import { contract, startMock, useMock } from '@contract-server/test-support/servers/mocked-service.js';
import { expect } from 'chai';
import type { OpenAPIV3 } from 'openapi-types';

const { document } = contract;
const operations = operationsOf(document);
const block = { id: 1, name: 'Block', weight: 7, status: 'available' };
const kite = { id: 2, name: 'Kite', weight: -3, status: 'sold' };
const json = { 'Content-Type': 'application/json' };
const post = (body: string) => ({ method: 'POST', headers: json, body });

/** Every response example of the contract, for every operation that can return it, by its status. */
const cases = operations.flatMap((entry) =>
  Object.entries(entry.operation.responses).flatMap(([declared, node]) => {
    const { content } = resolve<OpenAPIV3.ResponseObject>(document, node);
    return Object.entries(content?.['application/json']?.examples ?? {}).flatMap(([name, example]) => {
      const { value } = resolve<OpenAPIV3.ExampleObject>(document, example) as { readonly value: unknown };
      const status = declared === 'default' ? String((value as { status: number }).status) : declared;
      return declared === 'default' && status in entry.operation.responses ? [] : [{ entry, status, name, value }];
    });
  }),
);

describe('the mock server', () => {
  const mock = useMock();
  after(() => expect(mock.reported).to.deep.equal([]));

  /** Sends a valid request to an operation. */
  const sendTo = ({ path, method }: OperationEntry, preferences: Readonly<Record<string, string>> = {}) => {
    const target = path.replace('{toyId}', '1');
    const sent = method === 'post' ? post('{"name":"Block","weight":7}') : { method: method.toUpperCase() };
    return mock.send(target, { ...sent, headers: { ...json, ...preferences } });
  };
  const list = async (query: string, headers = {}) => {
    const { status, text, headers: received } = await mock.send(`/toys${query}`, { headers });
    const next = /^<(.+)>; rel="next"$/.exec(received['link'] ?? '')?.[1]?.slice(`${mock.baseUrl}/toys`.length);
    return { status, body: JSON.parse(text) as unknown, next };
  };

  it('has more than 50 examples', () => {
    expect(cases).to.have.length.greaterThan(50);
  });

  for (const { entry, status, name, value } of cases) {
    const id = String(entry.operation.operationId);
    it(`returns the example ${name} of ${id} for Prefer: code=${status}, example=${name}`, async () => {
      const response = await sendTo(entry, { Prefer: `code=${status}, example=${name}` });
      expect([response.status, JSON.parse(response.text)]).to.deep.equal([Number(status), value]);
      expect(response.headers).to.include({ 'preference-applied': `code=${status}, example=${name}` });
    });
  }

  for (const entry of operations)
    it(`returns the declared success response of ${String(entry.operation.operationId)}, otherwise 501`, async () => {
      const statuses = Object.keys(entry.operation.responses);
      const { status } = await sendTo(entry);
      expect(String(status)).to.equal(statuses.find((declared) => declared.startsWith('2')) ?? '501');
    });

  it('returns the headers of the examples, with URLs of the mock server, and those of a deprecated operation', async () => {
    expect(responseOf(await mock.send('/toys'))).to.deep.equal(success(200, [block, kite]));
    const location = `${mock.baseUrl}/toys/1`;
    const created = responseOf(await mock.send('/toys', post('{"name":"Block","weight":7}')));
    expect(created).to.deep.equal(success(201, block, { location }));
    const successor = `<${mock.baseUrl}/toys>; rel="successor-version"`;
    const policy = `<${mock.contractUrl}>; rel="deprecation"; type="application/yaml"`;
    const sunset = 'Thu, 05 Dec 2030 00:00:00 GMT';
    expect(responseOf(await mock.send('/toys/1'))).to.deep.equal(
      success(200, block, { deprecation: '@1795478400', sunset, link: `${successor}, ${policy}` }),
    );
    expect((await mock.send('/toys')).headers).to.include({
      ...{ 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '59', 'x-ratelimit-reset': '1795176060' },
      'ratelimit-policy': '"minute";q=60;w=60, "day";q=1000;w=86400',
      ratelimit: '"minute";r=59;t=60, "day";r=999;t=86400',
    });
  });

  it('returns no body for HEAD, and serves the contract and the readiness check', async () => {
    const head = await mock.send('/toys', { method: 'HEAD' });
    expect([head.status, head.text]).to.deep.equal([200, '']);
    expect(await (await fetch(mock.contractUrl)).text()).to.match(/^openapi: 3\.0\.4\n/);
    expect((await fetch(new URL('/readyz', mock.baseUrl))).status).to.equal(200);
  });

  it('returns pages of at most limit items, with a link to the next page on every page but the last', async () => {
    const first = await list('?limit=1');
    expect(first).to.deep.equal({ status: 200, body: [block], next: first.next });
    expect(first.next).to.match(/^\?limit=1&cursor=[\w-]+$/);
    expect(await list(String(first.next))).to.deep.equal({ status: 200, body: [kite], next: undefined });
    for (const query of ['', '?limit=2', '?limit=100'])
      expect(await list(query)).to.deep.equal({ status: 200, body: [block, kite], next: undefined });
  });

  it('returns the items whose field equals the parameter of this name', async () => {
    const expected = { '?status=sold': [kite], '?status=available&limit=1': [block], '?status=pending': [] };
    for (const [query, body] of Object.entries(expected))
      expect(await list(query)).to.deep.equal({ status: 200, body, next: undefined });
  });

  it('rejects a cursor of another filter, and one that is not a cursor of the mock server', async () => {
    const cursor = new URLSearchParams((await list('?limit=1')).next).get('cursor') ?? '';
    for (const query of [`?cursor=${cursor}&status=sold`, '?cursor=x', `?cursor=${cursor}x`]) {
      const { status, body } = await list(query);
      expect([status, (body as { code: string }).code], query).to.deep.equal([400, 'invalid_cursor']);
    }
  });

  it('returns the whole example of a list if Prefer selects one', async () => {
    const { body, next } = await list('?limit=1&status=sold', { Prefer: 'example=twoToys' });
    expect(body).to.deep.equal([block, kite]);
    expect(next).to.equal('?limit=2&cursor=Mi4udjdwYnVw');
    expect((await list('?limit=1', { Prefer: 'example=emptyPage' })).body).to.deep.equal([]);
    expect((await list('?limit=1', { Prefer: 'code=200' })).body).to.deep.equal([block]);
  });

  const Prefer = 'code=200';
  const name = '`name` must have at least 1 character.';
  const missing = 'Missing body field `weight`.';
  const fields = 'allowed: `name`, `weight`, `status`.';
  const parameters = 'allowed: `limit`, `status`, `cursor`.';
  const limit = '`limit` must be an integer from 1 to 100.';
  const allow = 'GET, HEAD, OPTIONS, POST';
  const notFound = 'No route matches GET /v1/books. See /docs for the available paths.';
  const notAllowed = `This path supports only ${allow}.`;
  const unauthorized = apiError(401, 'missing_api_key', 'Send your API key: Authorization: Bearer <API_KEY>.', {
    'www-authenticate': 'Bearer realm="toys"',
  });
  const invalid = (message: string) => apiError(400, 'invalid_request', message);
  for (const [path, init, expected] of [
    ...['', 'Bearer', 'Basic YTpi'].map(
      (sent) => ['/toys', { headers: { Authorization: sent } }, unauthorized] as const,
    ),
    ['/toys?limit=101&page=2', {}, invalid(`Unknown query parameter \`page\`; ${parameters} ${limit}`)],
    ['/toys', post('{"id":1,"name":""}'), invalid(`${missing} Unknown body field \`id\`; ${fields} ${name}`)],
    ['/toys', post(' '.repeat(65_537)), apiError(413, 'body_too_large', 'The body exceeds 65536 bytes. Shorten it.')],
    ['/books', {}, apiError(404, 'route_not_found', notFound)],
    ['/toys', { method: 'PROPFIND' }, apiError(405, 'method_not_allowed', notAllowed, { allow })],
    ['/toys', { method: 'OPTIONS', headers: { Authorization: '' } }, { status: 204, headers: { allow } }],
  ] as const)
    it(`validates requests also with Prefer: ${Prefer}, and returns ${String(expected.status)}: ${path} ${JSON.stringify(init).slice(0, 80)}`, async () => {
      const headers = { Prefer, ...('headers' in init && init.headers) };
      expect(responseOf(await mock.send(path, { ...init, headers }))).to.deep.equal(expected);
    });

  it('returns 400 for an invalid path parameter, also with Prefer', async () => {
    const { text } = await mock.send('/toys/Block', { headers: { Prefer } });
    const message = '`toyId` must be an integer from -9223372036854775808 to 9223372036854775807.';
    expect(JSON.parse(text)).to.deep.equal(invalid(message).body);
  });

  it('accepts any API key', async () => {
    expect((await mock.send('/toys', { headers: { Authorization: 'bearer  x' } })).status).to.equal(200);
  });

  it('limits no client address, and has the rate-limit headers of one that has sent nothing', async () => {
    for (let sent = 0; sent <= 60; sent += 1) {
      const { status, headers } = await mock.send('/toys', { headers: { Authorization: '' } });
      expect([status, headers['x-ratelimit-remaining']]).to.deep.equal([401, '60']);
    }
  });

  it('allows the origins of CORS_ORIGINS', async () => {
    const open = await startMock({ CORS_ORIGINS: 'https://shop.example' });
    const headers = { Origin: 'https://shop.example', Prefer: 'code=429' };
    const response = await open.send('/toys', { headers });
    expect(response.headers).to.include({ 'access-control-allow-origin': 'https://shop.example' });
  });
});
