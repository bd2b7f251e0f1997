import { expect } from 'chai';
import type { OpenAPIV3 } from 'openapi-types';
import { parseJson } from '#src/json/exact-json.js';
import { generateResponse } from '#src/mock/generate-value.js';
import { assertMockConforms } from '../support/contract/conformance.js';
import { apiError, responseOf } from '../support/contract/response.js';
import { startMock, type TestMock } from '../support/servers/mock.js';

interface Pet {
  readonly id: number;
  readonly status?: string;
  readonly categoryId: number | bigint;
}

describe('Prefer: dynamic of the mock server', () => {
  let mock: TestMock;
  before(async () => (mock = await startMock()));
  after(() => mock.close());

  const post = {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{"name":"Rex","categoryId":7}',
  };
  const send = async (path: string, preferences: string, init: RequestInit = {}) => {
    const headers = { ...(init.headers as Record<string, string>), Prefer: preferences };
    const response = await mock.send(path, { ...init, headers });
    const { 'preference-applied': applied, ...others } = response.headers;
    assertMockConforms(init.method ?? 'GET', `/v1${path}`, { ...response, headers: others });
    return { ...response, applied };
  };
  const pets = async (path: string, preferences: string) =>
    parseJson(Buffer.from((await send(path, preferences)).text)) as unknown as Pet[];

  it('generates responses that conform to the contract', async () => {
    for (let seed = 1; seed <= 50; seed += 1) {
      const preferences = `dynamic=${String(seed)}`;
      expect((await send('/pets', preferences)).applied).to.equal(preferences);
      expect((await send('/pets/7', preferences)).status).to.equal(200);
      expect((await send('/pets', preferences, post)).status).to.equal(201);
    }
  });

  it('generates the same data for the same request and seed, and other data for others', async () => {
    const texts = [];
    for (const [path, preferences] of [
      ['/pets/7', 'dynamic'],
      ['/pets/7', 'dynamic=2'],
      ['/pets/8', 'dynamic'],
      ['/pets/9223372036854775807', 'dynamic=2'],
    ] as const) {
      const { text } = await send(path, preferences);
      expect((await send(path, preferences)).text).to.equal(text);
      texts.push(text);
    }
    expect(new Set(texts).size).to.equal(4);
  });

  it('generates as many items as limit, filtered and in ascending order of id', async () => {
    expect(await pets('/pets?limit=1', 'dynamic')).to.have.lengthOf(1);
    expect(await pets('/pets', 'dynamic')).to.have.lengthOf(20);
    const sold = await pets('/pets?limit=100&status=sold', 'dynamic');
    expect(sold.map(({ status }) => status)).to.deep.equal(Array(100).fill('sold'));
    const ids = sold.map(({ id }) => id);
    expect(ids).to.deep.equal(ids.toSorted((one, other) => one - other));
  });

  it('generates each id once, also if the schema allows few', async () => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const ids = (await pets('/pets?limit=100', `dynamic=${String(seed)}`)).map(({ id }) => id);
      expect(new Set(ids).size).to.equal(100);
    }
    const id: OpenAPIV3.SchemaObject = { type: 'integer', minimum: 1, maximum: 100 };
    const items: OpenAPIV3.SchemaObject = { type: 'object', required: ['id'], properties: { id } };
    const few = generateResponse({ type: 'array', items }, { limit: 100 }, 'seed') as Pet[];
    expect(few.map((item) => item.id)).to.deep.equal(Array.from({ length: 100 }, (_, index) => index + 1));
  });

  it('generates the fields of every schema of allOf', () => {
    const part = (name: string): OpenAPIV3.SchemaObject => ({
      type: 'object',
      required: [name],
      properties: { [name]: { type: 'boolean' } },
    });
    for (let seed = 1; seed <= 20; seed += 1) {
      const schema = { ...part('c'), allOf: [part('a'), { allOf: [part('b')] }] };
      expect(generateResponse(schema, {}, String(seed))).to.have.all.keys('a', 'b', 'c');
    }
  });

  it('generates 64-bit integers beyond 2^53, and omits optional fields', async () => {
    const many = await pets('/pets?limit=100', 'dynamic=1');
    expect(many.some(({ categoryId }) => typeof categoryId === 'bigint')).to.equal(true);
    expect(many.some(({ status }) => status === undefined)).to.equal(true);
  });

  it('returns examples of errors, and of a selected example', async () => {
    const { status, text } = await send('/pets', 'code=429, dynamic');
    expect([status, (JSON.parse(text) as { code: string }).code]).to.deep.equal([429, 'rate_limit_exceeded']);
    expect((await send('/pets', 'example=emptyPage, dynamic')).text).to.equal('[]');
  });
});

describe('Prefer: wait of the mock server', () => {
  let mock: TestMock;
  const delays: number[] = [];
  before(async () => {
    mock = await startMock({}, (ms) => Promise.resolve(delays.push(ms)));
  });
  after(() => mock.close());

  const send = (preferences: string) => mock.send('/pets', { headers: { Prefer: preferences } });

  it('delays the response by a number of seconds', async () => {
    for (const preferences of ['wait=2', 'code=503, wait=20', 'wait=0']) {
      expect((await send(preferences)).headers['preference-applied']).to.equal(preferences);
    }
    expect(delays).to.deep.equal([2000, 20_000]);
  });

  it('rejects another delay', async () => {
    const message = 'Header prefer has an invalid wait. It must be an integer from 0 to 20.';
    for (const wait of ['21', '1.5', '-1', 'long', '']) {
      expect(responseOf(await send(`wait="${wait}"`)), wait).to.deep.equal(apiError(400, 'invalid_request', message));
    }
  });
});
