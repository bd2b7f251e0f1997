import { STATUS_CODES } from 'node:http';
import { sendRaw } from '@contract-server/test-support/clients/raw-connection.js';
import { host, message, nonsense } from '@contract-server/test-support/clients/raw-requests.js';
import { type BooksService, document, get, postBook, startBooks } from '@contract-server/test-support/servers/books.js';
import { startMock } from '@contract-server/test-support/servers/composed.js';
import { expect } from 'chai';
import supertest from 'supertest';
import type { ErrorResponseOptions } from '#src/http/errors/error-responses.js';

/** Problem details (RFC 9457). */
const problemDetails: ErrorResponseOptions = {
  mediaType: 'application/problem+json',
  body: ({ code, message, status, violations }) => ({
    type: `https://books.example/problems/${code}`,
    title: STATUS_CODES[status],
    status,
    detail: message,
    errors: violations.map((each) => ({ in: each.in, pointer: `#${each.pointer}`, detail: each.message })),
  }),
};

describe('errors.body', () => {
  describe('with problem details', () => {
    let service: BooksService;
    before(async () => (service = await startBooks(problemDetails)));
    after(() => expect(service.reported).to.deep.equal([]));

    const unknownPublisher = 'Unknown body field `publisher`; allowed: `title`, `author/editor`.';
    const integer = 'must be an integer from -9007199254740991 to 9007199254740991.';
    const cases: readonly (readonly [what: string, () => supertest.Test, ...violations: readonly string[][]])[] = [
      [
        'an empty field',
        () => postBook(service, '{"title":""}'),
        ['body', '#/title', '`title` must have at least 1 character.'],
      ],
      [
        'a missing and an unknown field',
        () => postBook(service, '{"publisher":1}'),
        ['body', '#/title', 'Missing body field `title`.'],
        ['body', '#/publisher', unknownPublisher],
      ],
      [
        'nested fields with / and ~ in their names',
        () => postBook(service, '{"title":"Emma","author/editor":{"born~":"1775"}}'),
        ['body', '#/author~1editor/name', 'Missing body field `author/editor.name`.'],
        ['body', '#/author~1editor/born~0', `\`author/editor.born~\` ${integer}`],
      ],
      ['a body of another type', () => postBook(service, '[]'), ['body', '#', 'The body must be a JSON object.']],
      ['no body', () => supertest(service.server).post('/v1/books'), ['body', '#', 'The body is required.']],
      ['a path parameter', () => get(service, '/v1/books/emma'), ['path', '#/bookId', `\`bookId\` ${integer}`]],
      [
        'a query parameter, a header and a field at once',
        () => postBook(service, '{"title":1}', '/v1/books?draft=maybe').set('X-Copies', '0'),
        ['body', '#/title', '`title` must be a string.'],
        ['query', '#/draft', '`draft` must be true or false.'],
        ['header', '#/x-copies', '`X-Copies` must be an integer, at least 1.'],
      ],
      [
        'an unknown query parameter',
        () => get(service, '/v1/books/1?page=2'),
        ['query', '#/page', 'Unknown query parameter `page`; this operation takes none.'],
      ],
      [
        'more than 100 query parameters',
        () => get(service, `/v1/books/1?${'a&'.repeat(101)}`),
        ['query', '#', 'The query must have at most 100 parameters.'],
      ],
      ['what a handler finds invalid', () => get(service, '/v1/books/0'), ['body', '#/isbn', 'The ISBN is taken.']],
    ];
    for (const [what, send, ...violations] of cases)
      it(`has each violation, with its JSON Pointer: ${what}`, async () => {
        const response = await send().expect(400).expect('Content-Type', 'application/problem+json');
        const { errors, ...problem } = response.body as { readonly errors: readonly { readonly detail: string }[] };
        expect(errors).to.have.deep.members(
          violations.map(([place, pointer, detail]) => ({ in: place, pointer, detail })),
        );
        expect(problem).to.deep.equal({
          type: 'https://books.example/problems/invalid_request',
          title: 'Bad Request',
          status: 400,
          detail: errors.map((each) => each.detail).join(' '),
        });
      });

    it('has at most ten violations, and the message counts the others', async () => {
      const fields = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`f${String(index)}`, 1]));
      const response = await postBook(service, JSON.stringify({ title: 'Emma', ...fields }));
      const { errors, detail } = response.body as { readonly errors: readonly object[]; readonly detail: string };
      expect(errors).to.have.lengthOf(10);
      expect(detail).to.match(/ And 2 more\.$/);
    });

    it('has a pointer of at most 512 characters, and no API key', async () => {
      const name = 'x'.repeat(300);
      const nested = JSON.stringify({ title: 'Emma', 'author/editor': { name: 'Jane', 'born~': 1775 }, [name]: 1 });
      expect((await postBook(service, nested)).text).to.contain(`"pointer":"#/${name}"`);
      const long = await postBook(service, JSON.stringify({ title: 'Emma', ['x'.repeat(513)]: 1 }));
      expect(long.body).to.have.nested.property('errors[0].pointer', '#');
      const token = `secret_${'x'.repeat(30)}`;
      const { text } = await get(service, `/v1/books/1?${token}=1`);
      expect(text).to.contain('"pointer":"#/secret_…"').and.not.contain(token);
    });

    const tooLong = `{"title":"${'x'.repeat(70_000)}"}`;
    for (const [what, status, code, send] of [
      ['a path below the path prefix', 404, 'route_not_found', () => get(service, '/v1/authors')],
      ['a path outside of it', 404, 'route_not_found', () => get(service, '/authors')],
      [
        'a method of the API',
        405,
        'method_not_allowed',
        () => get(service, '/v1/books').expect('Allow', 'OPTIONS, POST'),
      ],
      ['a method of a health check', 405, 'method_not_allowed', () => supertest(service.server).post('/healthz')],
      ['a large body', 413, 'body_too_large', () => postBook(service, tooLong)],
      ['YAML', 415, 'unsupported_media_type', () => postBook(service, 'title: Emma').type('yaml')],
      ['malformed JSON', 400, 'malformed_json', () => postBook(service, '{')],
      ['a malformed URL', 400, 'malformed_url', () => get(service, '/v1/books/%')],
    ] as const)
      it(`has no violations for ${what}: ${String(status)} ${code}`, async () => {
        const response = await send().expect(status).expect('Content-Type', 'application/problem+json');
        const type = `https://books.example/problems/${code}`;
        expect(response.body).to.deep.include({ type, title: STATUS_CODES[status], status, errors: [] });
      });

    for (const [what, bytes, status, code] of [
      ['bytes that are no HTTP', nonsense, 400, 'malformed_http'],
      ['a request without Host', message(['GET /v1/books/1 HTTP/1.1']), 400, 'malformed_http'],
      ['CONNECT', message(['CONNECT x:80 HTTP/1.1', host]), 501, 'not_implemented'],
    ] as const)
      it(`is the form of ${String(status)} ${code} for ${what}`, async () => {
        const { headers, text, ...received } = await sendRaw(service, bytes);
        expect(received.status).to.equal(status);
        expect(headers).to.include({ 'content-type': 'application/problem+json', connection: 'close' });
        const type = `https://books.example/problems/${code}`;
        expect(JSON.parse(text)).to.deep.include({ type, title: STATUS_CODES[status], status, errors: [] });
      });

    it('is the form of the errors that the mock raises', async () => {
      const mock = await startMock({ document, errors: problemDetails });
      await postBook(mock, '{"title":"Emma"}').expect(201, { id: 1 });
      const invalid = await postBook(mock, '{}').expect(400).expect('Content-Type', 'application/problem+json');
      expect(invalid.body).to.deep.include({ detail: 'Missing body field `title`.' });
      const unknown = await get(mock, '/v1/books/1').set('Prefer', 'code=409').expect(400);
      expect(unknown.body).to.have.nested.property('errors[0].pointer', '#/prefer');
      await get(mock, '/v1/authors').expect(404).expect('Content-Type', 'application/problem+json');
    });
  });

  it('that throws, or returns what is no JSON, is reported, and the response is a 500 with the default body', async () => {
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    const defect = new Error('defect');
    let create = () => circular;
    const service = await startBooks({ body: () => create(), mediaType: 'application/problem+json' });
    const text = 'The server failed to process the request. Retry later.';
    const expected = { code: 'internal_error', message: text, status: 500 };
    await get(service, '/v1/authors').expect(500, expected).expect('Content-Type', 'application/json');
    expect(service.reported.splice(0)).to.have.lengthOf(1);
    for (const returned of ['text', 1, Promise.resolve({})]) {
      create = () => returned as unknown as typeof circular;
      await get(service, '/v1/authors').expect(500, expected);
      expect(service.reported.splice(0)).to.have.lengthOf(1);
    }
    create = () => {
      throw defect;
    };
    await get(service, '/v1/authors').expect(500, expected);
    const { status, text: body } = await sendRaw(service, nonsense);
    expect([status, JSON.parse(body)]).to.deep.equal([500, expected]);
    expect(service.reported).to.deep.equal([defect, defect]);
  });
});
