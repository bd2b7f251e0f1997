import { contractOf } from '@contract-server/core/contract/contract.js';
import type { ContractDocument } from '@contract-server/core/contract/document.js';
import { viewerDocument } from '@contract-server/core/contract/viewer-document.js';
import { RawConnection } from '@contract-server/test-support/clients/raw-connection.js';
import { host, message } from '@contract-server/test-support/clients/raw-requests.js';
import { toysContract } from '@contract-server/test-support/contract/toys-contract.js';
import { startComposed, startMock } from '@contract-server/test-support/servers/composed.js';
import { expect } from 'chai';
import supertest from 'supertest';
import type { SchemeHandlers } from '#src/http/security/security.js';

const { document: toys } = toysContract;
const limit = { requests: 3, seconds: 60 };
const operation = (operationId: string, extensions: object) => ({
  operationId,
  ...extensions,
  parameters: [{ name: 'page', in: 'query', schema: { type: 'integer' } }],
  responses: { 200: { description: 'Done.', content: { 'application/json': { example: [] } } } },
});
const paths = {
  '/search': { get: operation('search', { 'x-rate-limit': limit }) },
  '/public': { get: operation('searchPublic', { 'x-rate-limit': limit, security: [] }) },
  '/export': { get: operation('export', { 'x-rate-limit': { requests: 1, seconds: 3600 } }) },
  '/list': { get: operation('list', {}) },
};
const document = { ...toys, paths } as unknown as ContractDocument;

/** Two keys of one quota, and two callers without a quota. */
const quota = { id: 'quota', limits: { requestsPerMinute: 50, requestsPerDay: 500 } };
const callers = new Map(
  ['key-1', 'key-2', 'ann', 'bob'].map((id) => [
    id,
    { id, name: id, scopes: [], ...(id.startsWith('key') && { quota }) },
  ]),
);
const security: SchemeHandlers = { apiKey: { identify: (token) => callers.get(token), hasApiKeys: true } };
const done = () => Promise.resolve({ status: 200, body: '[]' });
const handlers = { search: done, searchPublic: done, export: done, list: done };

describe('x-rate-limit of an operation', () => {
  let service: Awaited<ReturnType<typeof startComposed>>;
  beforeEach(async () => (service = await startComposed({ document, handlers, security })));

  const send = (path: string, token?: string) => {
    const request = supertest(service.server).get(`/v1${path}`);
    return token === undefined ? request : request.set('Authorization', `Bearer ${token}`);
  };
  const statusesOf = async (requests: readonly supertest.Test[]) =>
    (await Promise.all(requests)).map(({ status }) => status).sort();
  const repeat = (count: number, path: string, token?: string) =>
    Array.from({ length: count }, () => send(path, token));

  it('is exact for concurrent requests, and for those that arrive in one packet', async () => {
    expect(await statusesOf(repeat(20, '/search', 'ann'))).to.deep.equal([
      ...Array<number>(3).fill(200),
      ...Array<number>(17).fill(429),
    ]);
    const connection = await RawConnection.open(service, message(['GET /v1/public HTTP/1.1', host]).repeat(5));
    for (const [status, remaining] of [
      [200, '2'],
      [200, '1'],
      [200, '0'],
      [429, '0'],
      [429, '0'],
    ] as const) {
      const received = await connection.readResponse();
      expect([received.status, received.headers['x-ratelimit-remaining']]).to.deep.equal([status, remaining]);
    }
  });

  it('counts the requests of each quota, else of each caller', async () => {
    const all = [...repeat(2, '/search', 'key-1'), ...repeat(2, '/search', 'key-2')];
    expect(await statusesOf(all)).to.deep.equal([200, 200, 200, 429]);
    for (const caller of ['ann', 'bob'])
      expect(await statusesOf(repeat(4, '/search', caller))).to.deep.equal([200, 200, 200, 429]);
  });

  it('counts the requests of each client address without a caller', async () => {
    const address = service.server.address() as { readonly port: number };
    for (const localAddress of ['127.0.0.1', '127.0.0.2'])
      for (const status of [200, 200, 200, 429]) {
        const connection = await RawConnection.openTo(address, localAddress);
        connection.send(message(['GET /v1/public HTTP/1.1', host]));
        expect((await connection.readResponse()).status).to.equal(status);
      }
    await send('/public', 'ann').expect(200);
  });

  it('affects no other operation, and counts requests that are rejected later, but none without authorization', async () => {
    await statusesOf(repeat(4, '/search'));
    await send('/search?page=one', 'ann').expect(400);
    await supertest(service.server).head('/v1/search').set('Authorization', 'Bearer ann').expect(200);
    await send('/search', 'ann').expect(200);
    await send('/search', 'ann').expect(429);
    await send('/export', 'ann').expect(200);
    await send('/export', 'ann').expect(429);
    await send('/list', 'ann').expect(200).expect('RateLimit-Policy', '"minute";q=60;w=60');
  });

  it('is in the headers of a caller without a quota', async () => {
    const { headers } = await send('/search', 'ann').expect(200);
    expect(headers).to.include({
      'x-ratelimit-limit': '3',
      'x-ratelimit-remaining': '2',
      'ratelimit-policy': '"operation";q=3;w=60',
      ratelimit: '"operation";r=2;t=60',
    });
    expect(Number(headers['x-ratelimit-reset']) - Date.now() / 1000).to.be.within(1, 61);
  });

  it('is in the headers unless the client address has fewer requests remaining', async () => {
    const plans = { small: { requestsPerMinute: 2, requestsPerDay: 10 } };
    const limited = { ...document, 'x-rate-limit-plans': plans, 'x-rate-limit-address-plan': 'small' };
    service = await startComposed({ document: limited, handlers, security });
    const { headers } = await send('/public').expect(200);
    expect(headers).to.include({ 'x-ratelimit-limit': '2', 'ratelimit-policy': '"minute";q=2;w=60' });
    expect(headers).to.include({ 'x-ratelimit-remaining': '1', ratelimit: '"minute";r=1;t=60' });
  });

  it('is in the headers of a caller with a quota only if the request is rejected', async () => {
    const minute = { 'x-ratelimit-limit': '50', 'ratelimit-policy': '"minute";q=50;w=60, "day";q=500;w=86400' };
    for (const remaining of ['49', '48', '47'])
      expect((await send('/search', 'key-1').expect(200)).headers).to.include({
        ...minute,
        'x-ratelimit-remaining': remaining,
      });
    const rejected = await send('/search', 'key-1').expect(429);
    const headers = rejected.headers as Readonly<Record<string, string>>;
    expect(headers).to.include({
      'x-ratelimit-limit': '3',
      'x-ratelimit-remaining': '0',
      'ratelimit-policy': '"operation";q=3;w=60',
      ratelimit: `"operation";r=0;t=${headers['retry-after'] ?? ''}`,
    });
    expect(Number(headers['retry-after'])).to.be.within(1, 60);
    const rule = 'The limit of this operation, 3 requests in 60 s, is exceeded.';
    expect(rejected.body).to.deep.equal({
      code: 'rate_limit_exceeded',
      message: `${rule} Retry after ${headers['retry-after'] ?? ''} s.`,
      status: 429,
    });
    // The request counts against the quota too.
    expect((await send('/list', 'key-1')).headers).to.include({ ...minute, 'x-ratelimit-remaining': '45' });
  });

  it('closes the connection of a client address, but not of a caller', async () => {
    const closed = async (lines: readonly string[]) => {
      const connection = await RawConnection.open(service, message([...lines, host]).repeat(4));
      const responses = [];
      for (let count = 0; count < 4; count += 1) responses.push(await connection.readResponse());
      return responses.at(-1)?.headers['connection'] === 'close';
    };
    expect(await closed(['GET /v1/public HTTP/1.1'])).to.equal(true);
    expect(await closed(['GET /v1/public HTTP/1.1', 'Authorization: Bearer ann'])).to.equal(false);
  });

  it('does not apply to the mock', async () => {
    const mock = await startMock({ document });
    for (let sent = 0; sent < 5; sent += 1)
      await supertest(mock.server).get('/v1/search').set('Authorization', 'Bearer ann').expect(200);
  });

  it('is in the description of the operation', () => {
    const { paths } = viewerDocument(contractOf(document), {});
    const sentence = (rule: string) => `Each caller, or client address without credentials, can send at most ${rule}.`;
    expect(paths['/search']?.get?.description).to.contain(sentence('3 requests in 60 seconds'));
    expect(paths['/export']?.get?.description).to.contain(sentence('1 request in 3,600 seconds'));
    expect(paths['/list']?.get?.description).not.to.contain('at most');
  });
});
