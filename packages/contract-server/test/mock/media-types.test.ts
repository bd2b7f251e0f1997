import { contractOf, jsonOf, startMockOf, useMockOf } from '@contract-server/test-support/servers/mocked.js';
import { expect } from 'chai';
import type { ErrorResponseOptions } from '#src/http/errors/error-responses.js';

const text = { type: 'string' };
const pet = { type: 'object', properties: { name: { type: 'string', example: 'Rex' } } };
const contentOf = (content: object, headers = {}) => ({ responses: { 200: { description: 'OK', content, headers } } });

/** The declared content, the media type that is sent, and the body. */
const bodies: readonly (readonly [name: string, content: object, type: string, body: string | RegExp])[] = [
  [
    'jsonBesideOthers',
    { 'text/csv': {}, 'application/vnd.api+json': { schema: pet } },
    'application/vnd.api+json',
    '{"name":"Rex"}',
  ],
  ['dotnetJson', { 'application/*+json': { schema: pet } }, 'application/json', '{"name":"Rex"}'],
  ['plain', { 'text/plain': { schema: text } }, 'text/plain; charset=utf-8', 'string'],
  ['csv', { 'text/csv': { schema: text, example: 'a,b\n1,2\n' } }, 'text/csv; charset=utf-8', 'a,b\n1,2\n'],
  [
    'xml',
    { 'application/xml': { schema: { ...pet, xml: { name: 'pet' } } } },
    'application/xml; charset=utf-8',
    /^<pet>\s*<name>Rex<\/name>\s*<\/pet>\s*$/,
  ],
  ['xmlExample', { 'application/xml': { schema: pet, example: '<pet/>' } }, 'application/xml; charset=utf-8', '<pet/>'],
  ['events', { 'text/event-stream': { schema: pet } }, 'text/event-stream; charset=utf-8', 'data: {"name":"Rex"}\n\n'],
  ['line', { 'application/jsonl': { schema: pet } }, 'application/jsonl; charset=utf-8', '{"name":"Rex"}\n'],
  [
    'lines',
    { 'application/x-ndjson': { schema: { type: 'array', items: pet }, example: [{ name: 'Rex' }, { name: 'Tom' }] } },
    'application/x-ndjson; charset=utf-8',
    '{"name":"Rex"}\n{"name":"Tom"}\n',
  ],
  ['charset', { 'Application/JSON; charset=UTF-8': { schema: pet } }, 'application/json', '{"name":"Rex"}'],
  ['profile', { 'text/json; profile=a': { schema: pet } }, 'text/json; profile=a', '{"name":"Rex"}'],
  ['form', { 'application/x-www-form-urlencoded': { schema: pet } }, 'application/x-www-form-urlencoded', 'name=Rex'],
  ['bytes', { 'application/pdf': { schema: { ...text, format: 'binary' } } }, 'application/pdf', 'string'],
  ['anyJson', { '*/*': { schema: pet } }, 'application/json', '{"name":"Rex"}'],
  ['anyBytes', { '*/*': { schema: { ...text, format: 'binary' } } }, 'application/octet-stream', 'string'],
  ['anyImage', { 'image/*': { schema: { ...text, format: 'binary' } } }, 'image/png', /^.PNG/],
  ['anyText', { 'text/*': { schema: text } }, 'text/plain; charset=utf-8', 'string'],
];

/** Responses, what `Prefer` selects, and the status that is sent. */
const described = { description: 'A response' };
const error = { description: 'An error', content: { 'application/json': { schema: pet } } };
const statuses: readonly (readonly [name: string, responses: object, prefer: string | undefined, status: number])[] = [
  ['range', { '2XX': described }, undefined, 200],
  ['rangeBeforeRedirect', { 302: described, '2XX': described }, undefined, 200],
  ['redirect', { 302: described, 404: described }, undefined, 302],
  ['onlyDefault', { default: described }, undefined, 200],
  ['reserved', { 404: described }, undefined, 501],
  ['reservedBesideDefault', { 404: described, default: error }, undefined, 501],
  ['switching', { 101: described, 204: described }, undefined, 204],
  ['errorOfRange', { 200: described, '4XX': error }, 'code=404', 404],
  ['errorOfDefault', { 200: described, default: error }, 'code=503', 503],
  ['successOfDefault', { 200: described, default: error }, 'code=201', 400],
  ['switchingSelected', { 101: described, 204: described }, 'code=101', 400],
];

describe('a response of the mock', () => {
  const operations = [
    ...bodies.map(([name, content]) => [name, contentOf(content)] as const),
    ...statuses.map(([name, responses]) => [name, { responses }] as const),
    ['noExamples', jsonOf(pet, { examples: {} })] as const,
    [
      'invalidExamples',
      jsonOf({ type: 'integer' }, { examples: { bad: { value: 'x' }, good: { value: 7 } } }),
    ] as const,
  ];
  const mock = useMockOf(contractOf(Object.fromEntries(operations)));

  for (const [name, , type, body] of bodies)
    it(`has the declared media type, and a body of it: ${name}`, async () => {
      const response = await mock.send(`/${name}`);
      expect({ status: response.status, type: response.type }).to.deep.equal({ status: 200, type });
      if (typeof body === 'string') expect(response.text).to.equal(body);
      else expect(response.text).to.match(body);
    });

  for (const [name, , prefer, status] of statuses)
    it(`has the status ${String(status)}: ${name}${prefer === undefined ? '' : ` with Prefer: ${prefer}`}`, async () => {
      expect((await mock.send(`/${name}`, prefer)).status).to.equal(status);
    });

  it('has a sample of the schema for `examples: {}`', async () => {
    expect(await mock.send('/noExamples')).to.include({ status: 200, text: '{"name":"Rex"}' });
  });

  it('has the first valid example, but one that `Prefer` selects as it is', async () => {
    expect(await mock.send('/invalidExamples')).to.include({ status: 200, text: '7' });
    expect(await mock.send('/invalidExamples', 'example=bad')).to.include({ status: 200, text: '"x"' });
  });

  it('returns 400 with the examples that there are, if `Prefer` selects an unknown one', async () => {
    for (const [name, has] of [
      ['invalidExamples', 'has: 200 bad good'],
      ['noExamples', 'has none'],
    ] as const) {
      const { text } = await mock.send(`/${name}`, 'example=nope');
      expect(text).to.contain(`"\`Prefer\`: unknown example \`nope\`; ${name} ${has}."`);
    }
  });

  const largest = 9223372036854775807n;
  for (const [keyword, schema, media] of [
    ['example of a media type', {}, { example: largest }],
    ['examples of a media type', {}, { examples: { one: { value: largest } } }],
    ['example', { example: largest }, {}],
    ['default', { default: largest }, {}],
    ['enum', { enum: [largest] }, {}],
    ['const', { const: largest }, {}],
    ['minimum', { minimum: largest }, {}],
    ['exclusiveMinimum', { exclusiveMinimum: largest - 1n }, {}],
    ['multipleOf', { multipleOf: largest, minimum: 1 }, {}],
  ] as const)
    it(`has the greatest 64-bit integer exactly: ${keyword}`, async () => {
      const operation = jsonOf({ type: 'integer', format: 'int64', ...schema }, media);
      const { send } = await startMockOf(contractOf({ operation }));
      expect(await send('/operation')).to.include({ status: 200, text: '9223372036854775807' });
    });

  it('has no content for 204, whatever the contract declares', async () => {
    const { send } = await startMockOf(contractOf({ empty: { responses: { 204: error } } }));
    expect(await send('/empty')).to.include({ status: 204, text: '', type: null });
  });

  it('has the headers that it requires or that have an example or a default, if their value can be sent', async () => {
    const headers = {
      'X-Total': { required: true, schema: { type: 'integer', minimum: 3 } },
      'X-Tags': { required: true, schema: { type: 'array', minItems: 2, items: { enum: ['a'] } } },
      'X-Example': { required: true, schema: text, example: 'seven' },
      'X-Json': { required: true, content: { 'application/json': { schema: pet } } },
      'X-Bad': { required: true, schema: text, example: 'two\r\nlines' },
      'not a name': { required: true, schema: text },
      'X-Optional': { schema: text },
      Location: { schema: text, example: '/pets/1' },
      'X-Default': { schema: { type: 'integer', default: 5 } },
      'X-Impossible': { required: true, schema: { type: 'string', minLength: 1e9 } },
      'Content-Encoding': { schema: text, example: 'gzip' },
      'Content-Type': { required: true, schema: text },
    };
    const { send } = await startMockOf(contractOf({ total: contentOf({ 'text/plain': { schema: text } }, headers) }));
    const received = (await send('/total')).headers;
    const names = ['x-total', 'x-tags', 'x-example', 'x-json', 'x-bad', 'x-optional', 'content-type'].concat(
      ...['location', 'x-default', 'x-impossible', 'content-encoding'],
    );
    const expected = ['3', 'a,a', 'seven', '{"name":"Rex"}', null, null, 'text/plain; charset=utf-8'].concat(
      ...['/pets/1', '5', null, null],
    );
    expect(names.map((name) => received.get(name))).to.deep.equal(expected);
  });

  it('links to the next page only if the operation has a cursor', async () => {
    const limit = { name: 'limit', in: 'query', schema: { type: 'integer' } };
    const cursor = { name: 'cursor', in: 'query', schema: text };
    const list = jsonOf({ type: 'array', minItems: 1 }, { example: [{ id: 1 }, { id: 2 }] });
    const paged = { ...list, parameters: [limit, cursor] };
    const document = contractOf({ paged, limited: { ...list, parameters: [limit] } });
    const { send } = await startMockOf(document);
    const first = await send('/paged?limit=1');
    expect([first.text, first.headers.get('link')?.slice(-10)]).to.deep.equal(['[{"id":1}]', 'rel="next"']);
    const limited = await send('/limited?limit=1');
    expect([limited.text, limited.headers.get('link')]).to.deep.equal(['[{"id":1}]', null]);
    // The schema requires an item.
    expect((await send('/limited?limit=0')).text).to.equal('[{"id":1},{"id":2}]');
  });

  it('is the first page for a cursor of a contract without an error for invalid ones', async () => {
    const cursor = { name: 'cursor', in: 'query', schema: text };
    const list = { ...jsonOf({ type: 'array' }, { example: [{ id: 1 }] }), parameters: [cursor] };
    const { send } = await startMockOf(contractOf({ list }));
    const { status, text: body } = await send('/list?cursor=of-another-server');
    expect([status, body]).to.deep.equal([200, '[{"id":1}]']);
  });
});

describe('an invalid request to the mock', () => {
  const limit = { name: 'limit', in: 'query', schema: { type: 'integer' } };
  const problem = { type: 'object', required: ['title'], properties: { title: { type: 'string', example: 'Bad' } } };
  const open = { type: 'object', properties: { message: { type: 'string' } } };
  const declared = (schema: object) => ({ description: 'Error', content: { 'application/problem+json': { schema } } });
  const ok = { description: 'OK' };
  const reason = '`limit` must be an integer from -9007199254740991 to 9007199254740991.';
  const own = JSON.stringify({ code: 'invalid_request', message: reason, status: 400 });
  const json = 'application/json';
  const type = 'application/problem+json';
  for (const [title, responses, errors, expected] of [
    ['an error of the library without a declared one', { 200: ok }, undefined, [400, json, own, null]],
    ['the declared error', { 200: ok, 400: declared(problem) }, undefined, [400, type, '{"title":"Bad"}', reason]],
    ['the declared 422', { 200: ok, 422: declared(problem) }, undefined, [422, type, '{"title":"Bad"}', reason]],
    [
      'the declared default',
      { 200: ok, default: declared(problem) },
      undefined,
      [400, type, '{"title":"Bad"}', reason],
    ],
    ['an error of the library that fits', { 200: ok, 400: declared(open) }, undefined, [400, type, own, null]],
    [
      'the error of the service',
      { 200: ok, 400: declared(problem) },
      { mediaType: type, body: ({ message }: { message: string }) => ({ title: message }) } as ErrorResponseOptions,
      [400, type, JSON.stringify({ title: reason }), null],
    ],
  ] as const)
    it(`returns ${title}`, async () => {
      const { send } = await startMockOf(contractOf({ list: { parameters: [limit], responses } }), errors);
      const response = await send('/list?limit=x');
      const received = [response.status, response.type, response.text, response.headers.get('x-mock-error')];
      expect(received).to.deep.equal(expected);
    });
});

describe('a mock of several media types', () => {
  const schema = { type: 'string' };
  const content = {
    'text/csv': { schema, example: 'a,b' },
    'application/json': { schema, examples: { named: { value: 'json' } } },
    'image/*': { schema: { type: 'string', format: 'binary' } },
  };
  const responses = { 200: { description: '', content } };
  const mock = useMockOf(
    contractOf({
      books: { responses },
      one: { responses: { 200: { description: '', content: { 'text/csv': content['text/csv'] } } } },
    }),
  );
  const cases = [
    ['books', undefined, 200, 'application/json', 'Accept'],
    ['books', '*/*', 200, 'application/json', 'Accept'],
    ['books', 'text/*', 200, 'text/csv; charset=utf-8', 'Accept'],
    ['books', 'image/png, text/csv;q=0.5', 200, 'image/png', 'Accept'],
    ['books', 'video/mp4', 200, 'application/json', 'Accept'],
    ['one', 'video/mp4', 200, 'text/csv; charset=utf-8', null],
  ] as const;
  for (const [path, accept, status, type, vary] of cases)
    it(`sends ${type} for ${path} with Accept: ${String(accept)}`, async () => {
      const response = await mock.send(`/${path}`, undefined, accept);
      expect({ status: response.status, type: response.type }).to.deep.equal({ status, type });
      expect(response.headers.get('vary')).to.equal(vary);
    });

  it('sends the example that Prefer selects in its media type', async () => {
    expect(await mock.send('/books', 'example=named', 'text/csv')).to.include({ text: '"json"' });
  });
});

describe('a mock of an operation with the status 406', () => {
  const responses = {
    200: { description: '', content: { 'text/csv': { example: 'a' } } },
    406: { description: '', content: { 'application/json': { schema: { type: 'object' } } } },
  };
  const mock = useMockOf(contractOf({ books: { responses } }));

  it('is a 406 if the client accepts no media type of a success', async () => {
    expect(await mock.send('/books', undefined, 'image/png')).to.include({ status: 406, type: 'application/json' });
    expect(await mock.send('/books', undefined, 'text/csv')).to.include({ status: 200 });
  });
});
