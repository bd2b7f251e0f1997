import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { sendRaw } from '@contract-server/test-support/clients/raw-connection.js';
import { startComposed } from '@contract-server/test-support/servers/composed.js';
import { contractOf, jsonOf, startMockOf } from '@contract-server/test-support/servers/mocked.js';
import { serveContract } from '@contract-server/test-support/servers/served-contract.js';
import { temporaryDirectory } from '@contract-server/test-support/temporary-directory.js';
import { expect } from 'chai';
import type { RequestHandler } from 'express';
import supertest from 'supertest';
import { stringify } from 'yaml';
import { ApiError, file } from '#src/index.js';

const text = { description: 'Text', content: { 'text/plain': { schema: { type: 'string' } } } };
const textContract = contractOf({ things: { responses: { 200: text } } });

describe('a header of a handler that cannot be sent', () => {
  const path = join(temporaryDirectory(), 'text');
  writeFileSync(path, 'done');
  const bodies: Readonly<Record<string, () => unknown>> = {
    'a text': () => 'done',
    'a stream': () => Readable.from(['done']),
    'a file': () => file(path),
    'no body': () => undefined,
  };
  const headers: readonly (readonly [name: string, value: string])[] = [
    ['Location', '/本'],
    ['Location', '/\r\nSet-Cookie: a=b'],
    ['X Name', '1'],
    ['Content-Type', 'text/–'],
  ];
  const setsHeader: RequestHandler = (_request, response, next) => {
    response.setHeader('Vary', 'Origin');
    next();
  };
  const expectDefect = async (handle: () => unknown, name: string, middleware: readonly RequestHandler[] = []) => {
    const { server, log } = await serveContract(stringify(textContract), { handlers: { things: handle }, middleware });
    const response = await supertest(server).get('/things').expect(500).expect('Content-Type', 'application/json');
    expect(response.body).to.include({ code: 'internal_error', status: 500 });
    expect(response.headers).not.to.have.any.keys('location', 'set-cookie', 'x name', 'etag');
    expect(log.lines).to.have.length(1);
    expect(log.text.toLowerCase()).to.contain(name.toLowerCase());
  };
  for (const [title, body] of Object.entries(bodies))
    it(`is a 500 that names it in the log, with ${title}`, async () => {
      for (const [name, value] of headers)
        for (const middleware of [[], [setsHeader]])
          await expectDefect(() => ({ status: 200, body: body(), headers: { [name]: value } }), name, middleware);
    });

  it('is a 500 that names it in the log, with an error', async () => {
    for (const [name, value] of headers)
      await expectDefect(
        () => Promise.reject(new ApiError('invalid_request', 'x', { headers: { [name]: value } })),
        name,
      );
  });
});

describe('a header that the contract declares and that cannot be sent', () => {
  const header = (example: string) => ({ required: true, schema: { type: 'string' }, example });

  it('is not among those that other origins may read', async () => {
    const declared = { 'X Name': header('1'), 'X-本': header('1'), 'X-Name': header('1') };
    const document = contractOf({ things: { responses: { 200: { ...text, headers: declared } } } });
    const handlers = { things: () => Promise.resolve({ status: 200, body: 'done' }) };
    const env = { CORS_ORIGINS: 'https://a.example' };
    const { server } = await startComposed({ document, handlers, security: {}, env });
    const { headers } = await supertest(server).get('/things').set('Origin', 'https://a.example').expect(200);
    expect(headers['access-control-expose-headers']).to.equal('X-Name');
  });

  it('is omitted by the mock', async () => {
    const sent = { 'X-A': '本', 'X-B': 'b', 'X C': 'c' };
    const headers = Object.fromEntries(Object.entries(sent).map(([name, example]) => [name, header(example)]));
    const examples = { listed: { value: {}, 'x-headers': { ...sent, 'X-B': 'listed' } } };
    const mock = await startMockOf(
      contractOf({
        stated: { responses: { 200: { ...jsonOf({}).responses[200], headers } } },
        listed: { responses: { 200: { ...jsonOf({}, { examples }).responses[200], headers } } },
      }),
    );
    for (const [path, value] of [
      ['/stated', 'b'],
      ['/listed', 'listed'],
    ] as const) {
      const response = await mock.send(path);
      expect([response.status, response.headers.get('x-a'), response.headers.get('x-b')]).to.deep.equal([
        ...[200, null, value],
      ]);
    }
  });
});

describe('a header of the mock with text of the client or of the contract', () => {
  it('is printable ASCII', async () => {
    const examples = { 'naïve–': { value: {} } };
    const problem = { type: 'object', required: ['code'], properties: { code: { type: 'integer' } } };
    const responses = { ...jsonOf({}, { examples }).responses, 400: { ...jsonOf(problem).responses[200] } };
    const mock = await startMockOf(contractOf({ things: { responses } }));
    const { status, headers } = await mock.send('/things?–', 'code=200');
    expect([status, headers.get('x-mock-error')]).to.deep.equal([
      400,
      'Unknown query parameter `-`; this operation takes none.',
    ]);
  });

  it('does not lead to another page for two dots as a path parameter: 400', async () => {
    const list = { type: 'array', items: {} };
    const parameters = [
      { in: 'path', name: 'shelf', required: true, schema: { type: 'string' } },
      { in: 'query', name: 'limit', schema: { type: 'integer' } },
      { in: 'query', name: 'cursor', schema: { type: 'string' } },
    ];
    const document = contractOf({});
    const get = { operationId: 'listBooks', parameters, ...jsonOf(list, { example: [1, 2, 3] }) };
    Object.assign(document, { paths: { '/shelves/{shelf}/books': { get } } });
    const mock = await startMockOf(document);
    const send = (shelf: string) =>
      sendRaw({ server: mock.server }, `GET /shelves/${shelf}/books?limit=1 HTTP/1.1\r\nHost: a\r\n\r\n`);
    expect((await send('%E6%9C%AC')).headers['link']).to.match(/^<\S+\/shelves\/%E6%9C%AC\/books\?limit=1&cursor=/);
    const { status, text: body } = await send('%2e%2E');
    expect([status, JSON.parse(body)]).to.deep.equal([
      400,
      {
        code: 'invalid_request',
        message: 'The path parameter `shelf` of listBooks must not be `..`: it would lead to another path.',
        status: 400,
      },
    ]);
  });
});
