import { contractOf, startMockOf } from '@contract-server/test-support/servers/mocked.js';
import { expect } from 'chai';

const type = 'application/json';
const problem = 'application/problem+json';
const properties = (...names: readonly string[]) => ({
  type: 'object',
  required: names,
  properties: Object.fromEntries(names.map((name) => [name, { type: name === 'status' ? 'integer' : 'string' }])),
});
const schemaOf = (schema: object, mediaType = type, more: object = {}) => ({
  description: 'Error',
  content: { [mediaType]: { schema, ...more } },
});
const message = '`limit` must be an integer from -9007199254740991 to 9007199254740991.';
const details = { type: 'about:blank', title: 'Bad Request', status: 400, detail: message };
const coded = {
  type: 'object',
  required: ['code'],
  properties: { code: { type: 'integer' }, message: { type: 'string' } },
};
const bearer = { type: 'http', scheme: 'bearer' };
const challenge = { 'WWW-Authenticate': { schema: { type: 'string' }, example: 'Basic' } };
const retry = { 'Retry-After': { schema: { type: 'integer', example: 5 } } };

/** What the contract declares for 400, and the response. */
const invalid: readonly (readonly [title: string, responses: object, type: string | null, body: unknown])[] = [
  ['problem details', { 400: schemaOf(properties('type', 'title', 'status', 'detail'), problem) }, problem, details],
  [
    'optional details',
    { 400: schemaOf({ properties: properties('status', 'detail').properties }, problem) },
    problem,
    { status: 400, detail: message },
  ],
  ['a code that is an integer', { 400: schemaOf(coded) }, type, { code: 0, message }],
  ['other names', { 400: schemaOf(properties('error')) }, type, { error: 'string' }],
  ['an example', { 400: schemaOf(properties('error'), type, { example: { error: 'bad' } }) }, type, { error: 'bad' }],
  [
    'an example of another status',
    { default: schemaOf(properties('status', 'error'), type, { example: { status: 404, error: 'bad' } }) },
    type,
    { status: 400, error: 'bad' },
  ],
  ['text', { 400: schemaOf({ type: 'string' }, 'text/plain') }, 'text/plain; charset=utf-8', message],
  ['a range', { '4XX': schemaOf(properties('title'), problem) }, problem, { title: 'Bad Request' }],
  ['no content', { 400: { description: 'Error' } }, null, ''],
  ['no content of default', { default: { description: 'Error' } }, null, ''],
  ['nothing', { 200: { description: 'OK' } }, type, { code: 'invalid_request', message, status: 400 }],
];

describe('an error of the mock', () => {
  for (const [title, responses, expectedType, expected] of invalid)
    it(`is the declared one: ${title}`, async () => {
      const parameters = [{ name: 'limit', in: 'query', schema: { type: 'integer' } }];
      const { send } = await startMockOf(contractOf({ list: { parameters, responses } }));
      const { status, type: received, text } = await send('/list?limit=x');
      const body: unknown = received !== null && /json/.test(received) ? JSON.parse(text) : text;
      expect([status, received, body]).to.deep.equal([400, expectedType, expected]);
    });

  it('is the declared one for a 401, a 415, a 400 without JSON and Prefer, with the headers of the library', async () => {
    const responses = Object.fromEntries(
      [400, 401, 415].map((status) => [
        status,
        { ...schemaOf(properties('title'), problem), headers: { ...challenge, ...retry } },
      ]),
    );
    const requestBody = { content: { [type]: { schema: {} } } };
    const document = contractOf({ pets: {} });
    const operation = { operationId: 'addPet', requestBody, responses, security: [{ bearer: [] }] };
    Object.assign(document, { paths: { '/pets': { post: operation } } });
    Object.assign(document.components as object, { securitySchemes: { bearer } });
    const mock = await startMockOf(document);
    const { port } = mock.server.address() as { readonly port: number };
    const send = async (headers: Readonly<Record<string, string>>, body: string) => {
      const response = await fetch(`http://127.0.0.1:${String(port)}/pets`, { method: 'POST', headers, body });
      const { title } = (await response.json()) as { readonly title: string };
      const sent = ['content-type', 'www-authenticate', 'retry-after'].map((name) => response.headers.get(name));
      return [response.status, title, ...sent];
    };
    const authorization = 'Bearer x';
    expect([
      await send({ 'content-type': type }, '{}'),
      await send({ authorization, 'content-type': 'text/plain' }, 'x'),
      await send({ authorization, 'content-type': type }, '{'),
      await send({ authorization, 'content-type': type, prefer: 'code=299' }, '{}'),
    ]).to.deep.equal([
      [401, 'Unauthorized', problem, 'Bearer realm="Mocked"', '5'],
      [415, 'Unsupported Media Type', problem, 'Basic', '5'],
      [400, 'Bad Request', problem, 'Basic', '5'],
      [400, 'Bad Request', problem, 'Basic', '5'],
    ]);
  });
});

describe('Preference-Applied of the mock', () => {
  for (const [name, expected] of [
    ['dog', 'example=dog'],
    ['a dog', 'example="a dog"'],
    ['a "dog", \\ cat', 'example="a \\"dog\\", \\\\ cat"'],
  ] as const)
    it(`quotes a value that is not a token: ${name}`, async () => {
      const content = { [type]: { schema: {}, examples: { [name]: { value: 1 } } } };
      const { send } = await startMockOf(contractOf({ get: { responses: { 200: { description: 'OK', content } } } }));
      const { headers } = await send('/get', `example="${name.replace(/["\\]/g, '\\$&')}"`);
      expect(headers.get('preference-applied')).to.equal(expected);
    });
});
