import type { ContractTypes, OperationResponse } from '@contract-server/core/types/types.js';
import { RawConnection } from '@contract-server/test-support/clients/raw-connection.js';
import { serveContract } from '@contract-server/test-support/servers/served-contract.js';
import { expect } from 'chai';
import type { RequestHandler } from 'express';

const contract = `
openapi: 3.0.4
info: { title: Headers, version: 1.0.0 }
servers: [{ url: /v1 }]
paths:
  /things:
    get: &things
      operationId: listThings
      responses:
        "200": { description: Done, content: { application/json: { schema: {} }, text/csv: { schema: { type: string } } } }
        "204": { description: Done }
        "202": { description: Done }
  /old-things:
    get: { <<: *things, operationId: listOldThings, deprecated: true, x-sunset: "2090-12-05", x-successor: listThings }
  /limited-things:
    get: { <<: *things, operationId: listLimitedThings, x-rate-limit: { requests: 1000, seconds: 60 } }
`;

type Headers = Readonly<Record<string, unknown>>;

/** The header lines of a response, sorted, without those that change. */
async function linesOf(
  returned: object,
  { path = '/v1/things', middleware = [] }: { path?: string; middleware?: readonly RequestHandler[] } = {},
) {
  const handle = () => returned;
  const handlers = { listThings: handle, listOldThings: handle, listLimitedThings: handle };
  const { server, log } = await serveContract(contract, { handlers, middleware });
  const request = `GET ${path} HTTP/1.1\r\nHost: x\r\nX-Request-Id: mine\r\nConnection: close\r\n\r\n`;
  const connection = await RawConnection.open({ server }, request);
  await connection.whenEnded();
  const [head = '', body = ''] = connection.rest.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const kept = lines.filter((line) => !/^(?:Date|Connection|X-RateLimit-Re|RateLimit):/.test(line));
  return { status: Number(statusLine.split(' ')[1]), lines: kept.sort(), body, log };
}

/** Those of a response `{}` in JSON. */
const usual = [
  'Cache-Control: no-store',
  'Content-Length: 2',
  'Content-Type: application/json',
  'X-Content-Type-Options: nosniff',
  'X-Request-Id: mine',
];
const without = (...names: readonly string[]) => usual.filter((line) => !names.some((name) => line.startsWith(name)));
const withHeaders = (headers: Headers) => ({ status: 200, body: {}, headers });

describe('the headers of a handler', () => {
  const rules: readonly (readonly [title: string, headers: Headers, lines: readonly string[]])[] = [
    [
      'are added to those of the library',
      { Location: '/v1/things/1', ETag: '"1"' },
      [...usual, 'ETag: "1"', 'Location: /v1/things/1'],
    ],
    ['replace Cache-Control', { 'cache-control': 'max-age=60' }, [...without('Cache'), 'Cache-Control: max-age=60']],
    ['replace X-Request-Id', { 'X-REQUEST-ID': 'other' }, [...without('X-Request'), 'X-Request-Id: other']],
    [
      'replace X-Content-Type-Options',
      { 'x-content-type-options': 'none' },
      [...without('X-Content'), 'X-Content-Type-Options: none'],
    ],
    [
      'replace Content-Type',
      { 'content-type': 'application/json; charset=utf-8' },
      [...without('Content-Type'), 'Content-Type: application/json; charset=utf-8'],
    ],
    ['replace each other, whatever their case', { etag: '"1"', ETag: '"2"' }, [...usual, 'etag: "2"']],
    [
      'may be several Set-Cookie',
      { 'set-cookie': ['a=1, 2; Expires=Thu, 01 Jan 2099 00:00:00 GMT', 'b=2'], 'Set-Cookie': 'c=3' },
      [...usual, 'set-cookie: a=1, 2; Expires=Thu, 01 Jan 2099 00:00:00 GMT', 'set-cookie: b=2', 'set-cookie: c=3'],
    ],
    ['may be a list', { Allow: ['GET', 'POST'] }, [...usual, 'Allow: GET, POST']],
    ['may be left out', { ETag: undefined }, usual],
  ];
  for (const [title, headers, lines] of rules) {
    it(title, async () => {
      const response = await linesOf(withHeaders(headers));
      expect([response.status, response.lines]).to.deep.equal([200, [...lines].sort()]);
    });
  }

  it('compile as a list, unless only the server may write them', () => {
    expect(typedHeaders()).to.have.length(4);
  });

  it('select the media type of text, like mediaType', async () => {
    const response = await linesOf({ status: 200, body: 'a,b', headers: { 'Content-Type': 'text/csv' } });
    expect([response.body, response.lines])
      .to.deep.include('a,b')
      .and.to.deep.include([
        ...without('Content').slice(0, 1),
        'Content-Length: 3',
        'Content-Type: text/csv; charset=utf-8',
        ...without('Content', 'Cache'),
      ]);
  });

  it('replace those of rate limits', async () => {
    const { lines } = await linesOf(withHeaders({ 'x-ratelimit-limit': '5' }), { path: '/v1/limited-things' });
    expect(lines.filter((line) => /limit-limit/i.test(line))).to.deep.equal(['X-RateLimit-Limit: 5']);
  });

  it('join the links of a deprecated operation, and replace its dates', async () => {
    const headers = { link: '</v1/things?page=2>; rel="next"', SUNSET: 'Tue, 05 Dec 2091 00:00:00 GMT' };
    const { lines } = await linesOf(withHeaders(headers), { path: '/v1/old-things' });
    expect(lines).to.include('Sunset: Tue, 05 Dec 2091 00:00:00 GMT');
    expect(lines.filter((line) => /^(?:link|sunset)/i.test(line))).to.have.length(2);
    expect(lines.find((line) => /^link/i.test(line))).to.equal(
      'Link: </v1/things>; rel="successor-version", </v1/things?page=2>; rel="next"',
    );
  });

  for (const name of [
    ...['Content-Length', 'content-length', 'Transfer-Encoding', 'CONNECTION', 'Keep-Alive', 'Date', 'Upgrade'],
    ...['Trailer', 'TE', 'Proxy-Connection', 'proxy-authenticate'],
  ]) {
    it(`are a 500 that names ${name} in the log`, async () => {
      const { status, lines, log } = await linesOf(withHeaders({ [name]: '5', ETag: '"1"' }));
      expect(status).to.equal(500);
      expect(lines.map((line) => line.split(':', 1)[0])).to.deep.equal(usual.map((line) => line.split(':', 1)[0]));
      expect(log.lines).to.have.length(1);
      expect(JSON.stringify(log.lines)).to.include(`must not set the header ${name}`).and.to.include('mine');
    });
  }

  it('that cannot be sent are a 500 without any of them', async () => {
    const { status, lines } = await linesOf(withHeaders({ ETag: '"1"', Location: '/\n' }));
    expect(status).to.equal(500);
    expect(lines.join('\n')).to.not.match(/etag|location/i);
  });

  it('describe a response without a body', async () => {
    const empty = await linesOf({ status: 202, headers: { 'Content-Type': 'text/csv' } });
    expect(empty.lines).to.deep.equal(
      ['Cache-Control: no-store', 'Content-Length: 0', 'Content-Type: text/csv', ...without('C')].sort(),
    );
    expect((await linesOf({ status: 204 })).lines).to.deep.equal(without('Content'));
  });
});

describe('headers that the application has set before the router', () => {
  const set =
    (headers: Readonly<Record<string, string | readonly string[]>>): RequestHandler =>
    (_request, response, next) => {
      for (const name of Object.keys(headers)) response.setHeader(name, headers[name] ?? '');
      next();
    };
  const rules: readonly (readonly [
    title: string,
    set: Parameters<typeof set>[0],
    returned: Headers,
    lines: readonly string[],
  ])[] = [
    ['stay', { 'X-App': '1' }, {}, [...usual, 'X-App: 1']],
    [
      'are replaced by those of the response',
      { 'cache-control': 'public', 'x-request-id': 'app', 'content-type': 'text/html' },
      {},
      usual,
    ],
    ['are replaced by those of the handler', { ETag: '"1"' }, { etag: '"2"' }, [...usual, 'etag: "2"']],
    ['do not describe the body', { 'Content-Length': '5' }, {}, usual],
    ['do not frame the body', { 'transfer-encoding': 'chunked', Trailer: 'X-Sum' }, {}, usual],
    ['join Vary', { Vary: 'Origin, Accept' }, { vary: 'accept, Cookie' }, [...usual, 'vary: Origin, accept, Cookie']],
    [
      'join Link',
      { Link: '</a.css>; rel=preload' },
      { Link: '</b>; rel=next' },
      [...usual, 'Link: </a.css>; rel=preload, </b>; rel=next'],
    ],
    [
      'join Set-Cookie',
      { 'Set-Cookie': ['a=1', 'b=2'] },
      { 'Set-Cookie': ['c=3', 'd=4'] },
      [...usual, 'Set-Cookie: a=1', 'Set-Cookie: b=2', 'Set-Cookie: c=3', 'Set-Cookie: d=4'],
    ],
  ];
  for (const [title, headers, returned, lines] of rules) {
    it(title, async () => {
      const response = await linesOf(withHeaders(returned), { middleware: [set(headers)] });
      expect(response.lines).to.deep.equal([...lines].sort());
      expect(response.body).to.equal('{}');
    });
  }

  it('do not give a 204 a length', async () => {
    const { lines } = await linesOf({ status: 204 }, { middleware: [set({ 'Content-Length': '5' })] });
    expect(lines.join()).to.not.match(/content-length|transfer-encoding/i);
  });

  it('and removed again do not matter', async () => {
    const remove: RequestHandler = (_request, response, next) => {
      response.removeHeader('Vary');
      next();
    };
    const middleware = [set({ Vary: 'Origin' }), remove];
    const cookies = { 'Set-Cookie': ['a=1', 'b=2'] };
    const { lines } = await linesOf(withHeaders(cookies), { middleware });
    expect(lines).to.include.members(['Set-Cookie: a=1', 'Set-Cookie: b=2']);
    const failed = await linesOf(withHeaders({ ...cookies, Location: '/\n' }), { middleware });
    expect([failed.status, failed.lines.join().match(/Cookie|Location|Vary/)]).to.deep.equal([500, null]);
  });

  it('are left out of a 500 only where the response has them', async () => {
    const { status, lines } = await linesOf(withHeaders({ Date: 'x' }), { middleware: [set({ Vary: 'Origin' })] });
    expect(status).to.equal(500);
    expect(lines).to.include('Vary: Origin');
  });
});

/** Compiles only with the types that it shows. */
function typedHeaders() {
  interface Cookies extends ContractTypes {
    readonly operations: {
      readonly signIn: {
        readonly responses: {
          readonly 200: {
            headers: { 'Set-Cookie'?: string; Date?: string; Allow?: string[]; [name: string]: unknown };
          };
        };
      };
    };
    readonly defaults: { readonly signIn: object };
  }
  type Response = OperationResponse<Cookies, 'signIn'>;
  const valid: Response[] = [
    { status: 200, headers: { 'Set-Cookie': ['a=1', 'b=2'], Allow: ['GET', 'POST'] } },
    { status: 200, headers: { 'Set-Cookie': 'a=1', Allow: 'GET, POST' } },
  ];
  // @ts-expect-error -- only the server may write it.
  const server: Response = { status: 200, headers: { Date: 'Thu, 01 Jan 2099 00:00:00 GMT' } };
  // @ts-expect-error -- a cookie is text.
  const number: Response = { status: 200, headers: { 'Set-Cookie': [1] } };
  return [...valid, server, number];
}
