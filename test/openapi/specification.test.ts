import { issueKey } from '@contract-server/test-support/issue-key.js';
import { startOfTests } from '@contract-server/test-support/start-of-tests.js';
import { expect } from 'chai';
import { request } from '../support/clients/request.js';
import { validRequestTo } from '../support/contract/contract-requests.js';
import { basePath, document, findPlace, operations } from '../support/contract/document.js';
import { useNewService } from '../support/servers/service.js';

const states = ['available', 'pending', 'sold'] as const;
const int64 = { type: 'integer', format: 'int64' };
const json = 'application/json';
const rateLimitHeaders = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'] as const;

/** What the specification says about places of the contract, which may say more. */
const places: Readonly<Record<string, unknown>> = {
  '/info/version': '1.0.0',
  '/components/schemas/Pet/required': ['id', 'name', 'categoryId'],
  '/components/schemas/Pet/properties/id': int64,
  '/components/schemas/Pet/properties/name': { type: 'string' },
  '/components/schemas/Pet/properties/categoryId': int64,
  '/components/schemas/Pet/properties/status/enum': states,
  '/components/schemas/NewPet/required': ['name', 'categoryId'],
  '/components/schemas/NewPet/properties/name': { type: 'string' },
  '/components/schemas/NewPet/properties/categoryId': int64,
  '/components/schemas/NewPet/properties/status/allOf/0/enum': states,
  '/components/schemas/PetStatus': { type: 'string', enum: states },
  '/components/schemas/Pets': { type: 'array', items: { $ref: '#/components/schemas/Pet' } },
  '/components/schemas/Error/required': ['code', 'message', 'status'],
  '/components/schemas/Error/properties/code/type': 'string',
  '/components/schemas/Error/properties/message/type': 'string',
  '/components/schemas/Error/properties/status/type': 'integer',
  '/components/parameters/Limit': { name: 'limit', in: 'query' },
  '/components/parameters/Limit/schema': { type: 'integer', minimum: 1, maximum: 100, default: 20 },
  '/components/parameters/Status': { name: 'status', in: 'query' },
  '/components/parameters/Status/schema/enum': states,
  '/components/parameters/PetId': { name: 'petId', in: 'path', required: true, schema: int64 },
  '/components/securitySchemes/apiKey': { type: 'http', scheme: 'bearer' },
  '/paths/~1pets/post/requestBody/required': true,
  '/paths/~1pets~1{petId}/get': { deprecated: true, 'x-sunset': '2030-12-05', 'x-successor': 'listPets' },
  '/x-rate-limit-plans': {
    free: { requestsPerMinute: 60, requestsPerDay: 1000 },
    pro: { requestsPerMinute: 300, requestsPerDay: 10_000 },
    business: { requestsPerMinute: 1000, requestsPerDay: 100_000 },
    enterprise: 'custom',
  },
};

/** The specified responses with their schemas. */
const responses: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '/paths/~1pets/get': { 200: 'Pets', 401: 'Error', 429: 'Error' },
  '/paths/~1pets/post': { 201: 'Pet', 400: 'Error', 401: 'Error', 429: 'Error' },
  '/paths/~1pets~1{petId}/get': { 200: 'Pet', 401: 'Error', 404: 'Error', 429: 'Error' },
  '/paths/~1store~1orders/get': { 401: 'Error', 429: 'Error' },
};

describe('the contract', () => {
  it('declares what the specification states', () => {
    for (const [pointer, stated] of Object.entries(places)) {
      const found = findPlace(pointer);
      if (typeof stated !== 'object' || Array.isArray(stated)) expect(found, pointer).to.deep.equal(stated);
      else expect(found, pointer).to.deep.include(stated);
    }
    expect(findPlace('/x-rate-limit-plans')).to.have.all.keys('free', 'pro', 'business', 'enterprise');
  });

  it('declares the specified operations and no others', () => {
    expect(operations.map(({ path, method, operation }) => [operation.operationId, method, path])).to.have.deep.members(
      [
        ['listPets', 'get', '/pets'],
        ['createPet', 'post', '/pets'],
        ['getPet', 'get', '/pets/{petId}'],
        ['listOrders', 'get', '/store/orders'],
      ],
    );
    for (const { operation } of operations) expect(operation.tags).to.deep.equal(['animals']);
    expect(document.tags?.map(({ name }) => name)).to.deep.equal(['animals', 'Store', 'Pets']);
  });

  it('declares the specified responses, all in JSON, and no 403', () => {
    for (const [operation, declared] of Object.entries(responses)) {
      for (const [status, schema] of Object.entries(declared)) {
        const response = `${operation}/responses/${status}`;
        expect(findPlace(`${response}/content`), response).to.have.all.keys(json);
        expect(findPlace(`${response}/content/application~1json/schema`), response).to.equal(
          findPlace(`/components/schemas/${schema}`),
        );
        for (const name of ['Limit', 'Remaining', 'Reset'])
          expect(findPlace(`${response}/headers/X-RateLimit-${name}/schema/type`), response).to.equal('integer');
      }
      expect(findPlace(`${operation}/responses/403`)).to.equal(undefined);
    }
    const bodies = operations.filter(({ operation }) => operation.requestBody !== undefined);
    expect(bodies.map(({ operation }) => operation.operationId)).to.deep.equal(['createPet']);
    expect(findPlace('/paths/~1pets/post/requestBody/content')).to.have.all.keys(json);
  });

  it('declares a production and a staging server, which both end in /v1', () => {
    const [production, staging] = document.servers ?? [];
    expect([production?.url, staging?.url]).to.deep.equal(['https://{host}/v1', 'https://{host}/v1']);
    expect(production?.variables?.['host']?.default).to.not.equal(staging?.variables?.['host']?.default);
    expect(basePath).to.equal('/v1');
  });

  it('requires an API key for every operation, and marks the stability of each', () => {
    expect(document.security).to.deep.equal([{ apiKey: [] }]);
    const stability = operations.map(({ operation: { operationId, security, ...other } }) => {
      expect(security, operationId).to.equal(undefined);
      return [operationId, other['x-stability']];
    });
    const stable = ['listPets', 'createPet', 'getPet'].map((id) => [id, 'stable']);
    expect(stability).to.have.deep.members([...stable, ['listOrders', 'experimental']]);
  });
});

describe('every operation', () => {
  const service = useNewService();

  const sendAll = (token: string | null) =>
    Promise.all(
      operations.map((entry) => {
        const { method, target, headers, body } = validRequestTo(entry);
        const sent = request(service, token)
          [method === 'POST' ? 'post' : 'get'](target)
          .set({ ...headers });
        return body === undefined ? sent : sent.send(body);
      }),
    );

  it('returns 401 without a valid key', async () => {
    const expired = await issueKey(service, 'free', startOfTests + 1);
    const revoked = await issueKey(service, 'free');
    await service.stores.apiKeys?.service.revoke(revoked.key.id);
    service.clock.now += 1;
    for (const token of [null, service.token.slice(0, -1), expired.token, revoked.token]) {
      const code = token === null ? 'missing_api_key' : 'invalid_api_key';
      for (const { status, body } of await sendAll(token)) {
        expect(status).to.equal(401);
        expect(body).to.have.all.keys('code', 'message', 'status').and.to.include({ code, status });
      }
    }
  });

  it('returns 429 with Retry-After beyond the limit', async () => {
    const { token } = await issueKey(service, [1, 1000]);
    await request(service, token).get('/v1/pets').expect(200, []);
    for (const { status, headers, body } of await sendAll(token)) {
      expect([status, headers['retry-after']]).to.deep.equal([429, '60']);
      expect(body).to.include({ code: 'rate_limit_exceeded', status: 429 });
    }
    service.clock.now += 60_000;
    await request(service, token).get('/v1/pets').expect(200, []);
  });

  it('has the X-RateLimit headers, whatever its status is', async () => {
    // express-rate-limit, which limits client addresses, reads the system time.
    for (const [token, now] of [[service.token, startOfTests] as const, [null, Date.now()] as const])
      for (const { headers, status } of await sendAll(token)) {
        const values = headers as Readonly<Record<string, string>>;
        const [limit, remaining, reset] = rateLimitHeaders.map((name) => Number(values[name]));
        expect(limit, String(status)).to.be.above(Number(remaining));
        expect(reset).to.be.within(now / 1000, now / 1000 + 24 * 60 * 60);
      }
  });

  for (const [plan, limits] of [
    ['free', [60, 1000]],
    ['pro', [300, 10_000]],
    ['business', [1000, 100_000]],
    ['enterprise', [7, 77]],
  ] as const)
    it(`has the limits of the plan ${plan}, per minute and per day`, async () => {
      const { token } = await issueKey(service, plan === 'enterprise' ? limits : plan);
      const [perMinute, perDay] = limits.map(String);
      const policy = `"minute";q=${String(perMinute)};w=60, "day";q=${String(perDay)};w=86400`;
      await request(service, token)
        .get('/v1/pets')
        .expect('X-RateLimit-Limit', String(perMinute))
        .expect('RateLimit-Policy', policy);
    });
});
