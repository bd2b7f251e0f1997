import type { HandlerResponse } from '@contract-server/core/contract/responses.js';
import { requestState } from '@contract-server/test-support/contract/request-state.js';
import { startApi } from '@contract-server/test-support/contract/start-api.js';
import { errorOf } from '@contract-server/test-support/error-of.js';
import { expect } from 'chai';

const pet = {
  type: 'object',
  required: ['name', 'password'],
  properties: {
    id: { type: 'integer', format: 'int64', default: 1 },
    name: { type: 'string', minLength: 2 },
    status: { type: 'string', enum: ['sold'] },
    password: { type: 'string', writeOnly: true },
  },
};
const json = (schema: object) => ({ 'application/json': { schema } });
const header = (type: string, required = false) => ({ required, schema: { type } });
const responses = {
  200: { description: 'A pet', content: json(pet) },
  201: {
    description: 'A pet',
    headers: {
      'X-Count': header('integer', true),
      'X-Tags': { schema: { type: 'array', items: { type: 'integer' } } },
      'X-Request-Id': header('string', true),
      'Set-Cookie': { schema: { type: 'string', pattern: '^[a-z]=' } },
      'X-Owner': { content: json({ type: 'object' }) },
    },
    content: json(pet),
  },
  202: { description: 'Problem', content: { 'application/problem+json; charset=utf-8': { schema: pet } } },
  203: { description: 'Text', content: { 'text/plain': { schema: { type: 'string' } }, ...json({}) } },
  204: { description: 'Nothing' },
  206: { description: 'A file', headers: { 'Content-Disposition': header('string', true) }, content: json(pet) },
  '4XX': { description: 'A text', content: json({ type: 'string' }) },
};
const document = (status: object) => ({
  openapi: '3.0.4',
  info: { title: 'Pets', version: '1.0.0' },
  paths: { '/pet': { get: { operationId: 'getPet', responses: status } } },
});

/** The response to a request whose handler returns a response. */
async function respond(returned: object, validateResponses = false, declared: object = responses) {
  const api = await startApi(document(declared), { getPet: () => Promise.resolve(returned) }, validateResponses);
  const request = { method: 'GET', path: '/pet', query: '', headers: {}, body: undefined };
  const state = requestState({ match: api.router.match('GET', '/pet') });
  return (await api.handleRequest(request, state)) as HandlerResponse;
}

const rex = { id: 9007199254740993n, name: 'Rex', age: 3, password: 'secret' };
const text = '{"id":9007199254740993,"name":"Rex"}';

describe('the response of a handler', () => {
  it('is written as JSON, with exact integers, and without what the contract does not declare', async () => {
    expect(await respond({ status: 200, body: rex })).to.include({ body: text, mediaType: 'application/json' });
    for (const [body, written] of [
      [null, 'null'],
      [0, '0'],
      [false, 'false'],
    ])
      expect(await respond({ status: 200, body })).to.include({ body: written });
  });

  it('is sent as it is if it is text, bytes or nothing', async () => {
    const bytes = Buffer.from('{}');
    for (const body of ['{"age":3}', bytes, undefined]) {
      const response = { status: 200, body };
      expect(await respond(response)).to.equal(response);
    }
  });

  it('has the media type of the contract, unless the handler selects another one', async () => {
    const mediaType = 'application/problem+json';
    expect(await respond({ status: 202, body: text })).to.include({ mediaType, body: text });
    expect(await respond({ status: 202, body: rex })).to.include({ mediaType, body: text });
    expect(await respond({ status: 203, body: { a: 1 } })).to.include({ mediaType: 'application/json' });
    expect(await respond({ status: 203, body: 'Rex', mediaType: 'text/plain' })).to.include({
      mediaType: 'text/plain; charset=utf-8',
    });
  });

  it('is the one of its range or the default of the contract', async () => {
    expect(await respond({ status: 404, body: 4 })).to.include({ body: '4' });
    const declared = { default: responses[200] };
    expect(await respond({ status: 500, body: rex }, false, declared)).to.include({ body: text });
  });

  it('is not written if the contract declares no JSON for it', async () => {
    for (const response of [{ status: 204 }, { status: 300 }, { status: 203, mediaType: 'text/plain' }])
      expect(await errorOf(respond({ ...response, body: rex }))).to.have.property(
        'message',
        `The response ${String(response.status)} of getPet does not conform to the contract: a JSON body is not declared.`,
      );
  });
});

describe('a response that is validated', () => {
  const headers = { 'X-Count': '1' };
  for (const [response, violation] of [
    [{ status: 200, body: { ...rex, name: 5 } }, '/name must be a string.'],
    [{ status: 200, body: {} }, '/name is missing.'],
    [{ status: 200, body: '{"name":"Rex","password":"secret"}' }, '/password is not allowed. Do not send it.'],
    [
      { status: 200, body: '{"id":1.5,"name":"Rex"}' },
      `/id must be an integer from -${String(2n ** 63n)} to ${String(2n ** 63n - 1n)}.`,
    ],
    [
      { status: 200, body: { name: 'R', status: 'lost' } },
      '/name must have at least 2 characters. /status must be one of: sold.',
    ],
    [
      { status: 200, body: '{"name":"Rex"' },
      'the body is not valid JSON: unexpected end of JSON, after 13 characters.',
    ],
    [{ status: 200, body: [] }, 'the body must be a JSON object.'],
    [{ status: 200 }, 'the body is missing.'],
    [{ status: 204, body: 'Rex' }, 'a body is not declared.'],
    [{ status: 300 }, 'the status is not declared.'],
    [
      { status: 200, body: 'Rex', mediaType: 'text/html' },
      'the media type text/html; charset=utf-8 is not declared, but application/json.',
    ],
    [{ status: 200, body: rex, headers }, 'the header X-Count is not declared.'],
    [{ status: 201, body: rex }, 'the header x-count is missing.'],
    [{ status: 206, body: rex }, 'the header content-disposition is missing.'],
    [
      { status: 201, body: rex, headers: { 'x-count': 'one' } },
      'the header x-count must be an integer from -9007199254740991 to 9007199254740991.',
    ],
    [
      { status: 201, body: rex, headers: { ...headers, 'X-Tags': '1, a' } },
      'the header x-tags/1 must be an integer from -9007199254740991 to 9007199254740991.',
    ],
    [
      { status: 201, body: rex, headers: { ...headers, 'set-cookie': ['a=1, 2', '=2'] } },
      'the header set-cookie/1 must match the pattern ^[a-z]=.',
    ],
    [
      { status: 201, body: rex, headers: { ...headers, 'X-Owner': '{"name"' } },
      'the header x-owner is not valid JSON: unexpected end of JSON, after 7 characters.',
    ],
    [
      { status: 200, body: 'Rex', headers: { 'Content-Type': 'text/csv' } },
      'the media type text/csv; charset=utf-8 is not declared, but application/json.',
    ],
  ] as const)
    it(`is an error if it does not conform: ${violation}`, async () => {
      const error = await errorOf(respond(response, true));
      const { status } = response;
      const message = `The response ${String(status)} of getPet does not conform to the contract: ${violation}`;
      expect(error).to.be.instanceOf(Error).and.to.have.property('message', message);
    });

  it('is sent unchanged if it conforms', async () => {
    for (const response of [
      { status: 200, body: rex },
      { status: 200, body: '{"name":"Rex"}' },
      { status: 201, body: '{"name":"Rex"}', headers: { ...headers, 'X-Tags': '1, 2', 'X-Request-Id': 'a' } },
      { status: 201, body: rex, headers: { ...headers, 'set-cookie': ['a=1', 'b=2'], 'X-Tags': ['1', '2'] } },
      { status: 202, body: Buffer.from('{"name":"Rex"}') },
      { status: 203, body: 'Rex', headers: { 'content-type': 'text/plain' } },
      { status: 203, body: 'Rex', mediaType: 'text/plain' },
      { status: 203, body: { any: 1 } },
      { status: 204 },
      { status: 404, body: '"Rex"' },
    ])
      expect(await respond(response, true)).to.deep.equal(await respond(response));
  });

  it('names the whole path of a value, in OpenAPI 3.1 too', async () => {
    const schema = {
      type: 'object',
      additionalProperties: { prefixItems: [{ type: 'string' }], unevaluatedItems: false },
    };
    const paths = {
      '/pet': { get: { operationId: 'getPet', responses: { 200: { description: '', content: json(schema) } } } },
    };
    const handlers = { getPet: () => Promise.resolve({ status: 200, body: { 'a/b~': [1], c: ['', 2] } }) };
    const api = await startApi({ ...document({}), openapi: '3.1.1', paths }, handlers, true);
    const request = { method: 'GET', path: '/pet', query: '', headers: {}, body: undefined };
    const state = requestState({ match: api.router.match('GET', '/pet') });
    expect(await errorOf(api.handleRequest(request, state) as Promise<unknown>)).to.have.property(
      'message',
      'The response 200 of getPet does not conform to the contract: /a~1b~0/0 must be a string. /c must have at most 1 item.',
    );
  });
});
