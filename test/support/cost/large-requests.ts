import { headerBytesMax, targetBytesMax } from '#src/http/protocol-checks.js';
import { findBodyRule } from '#src/openapi/document.js';
import { contractUrl, readContract } from '#src/openapi/load-contract.js';

/**
 * A request with an input of a size from 0 to 1, relative to the maximum of the contract. `<key>` is replaced by a
 * valid API key, `<address>` by a new client address, as a proxy reports it: documents are limited per address.
 */
export type LargeRequest = (size: number) => string;

/** Requests by the input that is large. */
export type LargeRequests = Readonly<Record<string, LargeRequest>>;

/** An input of a length in bytes. */
type Input = (bytes: number) => string;

const { document } = await readContract(contractUrl);
const queryParametersMax = 100;
const bodyValuesMax = 1000;
const bodyBytesMax = findBodyRule(document, 'createPet')?.bytesMax ?? NaN;
/** The size of the header lines that every request here has. */
const otherHeaderBytes = 300;

const rex = '{"name":"Rex","categoryId":7}';
const key = 'Authorization: Bearer <key>';

function message(line: string, headers: readonly string[], body = ''): string {
  return [`${line} HTTP/1.1`, 'Host: pets.example', ...headers, '', body].join('\r\n');
}

function get(target: string, ...headers: readonly string[]): string {
  return message(`GET ${target}`, [key, ...headers]);
}

function post(body: string, ...headers: readonly string[]): string {
  return message(
    'POST /v1/pets',
    [key, 'Content-Type: application/json', `Content-Length: ${String(body.length)}`, ...headers],
    body,
  );
}

function target(start: string, input: Input): LargeRequest {
  return (size) => get(start + input(Math.floor((targetBytesMax - start.length) * size)));
}

function header(
  start: string,
  input: Input,
  request: (line: string) => string = (line) => get('/v1/pets', line),
): LargeRequest {
  return (size) => request(start + input(Math.floor((headerBytesMax - otherHeaderBytes) * size)));
}

function document_(line: string): string {
  return message('GET /openapi.json', ['X-Forwarded-For: <address>', line]);
}

function body(start: string, input: Input, end: string): LargeRequest {
  return (size) => post(start + input(Math.floor((bodyBytesMax - start.length - end.length) * size)) + end);
}

/** A body with a number of members or elements, up to the maximum. */
function bodyOf(others: number, start: string, make: (index: number) => string, end: string): LargeRequest {
  return (size) => {
    const count = Math.floor((bodyValuesMax - others) * size);
    return post(start + Array.from({ length: count }, (_, index) => make(index)).join() + end);
  };
}

function repeated(text: string): Input {
  return (bytes) => text.repeat(Math.floor(bytes / text.length));
}

/** Pieces with different names. */
function distinct(piece: (name: string) => string): Input {
  return (bytes) => {
    let all = '';
    for (let index = 0; all.length < bytes; index += 1) all += piece(index.toString(36));
    return all.slice(0, bytes);
  };
}

const targets: LargeRequests = {
  'the length of a path': target('/v1/', repeated('x')),
  'the number of path segments': target('/v1/pets', repeated('/a')),
  'the number of percent escapes in a path parameter': target('/v1/pets/', repeated('%31')),
  'the number of digits in a path parameter': target('/v1/pets/', repeated('1')),
  'the number of percent escapes in a path that is logged': target('/v1/', repeated('%2525')),
  'the length of a path outside the API': target('/', repeated('a/')),
  'the length of a host in the request target': target('http://', repeated('%41')),
  'the number of times that a query parameter is repeated': target('/v1/pets?', repeated('a&')),
  'the number of different query parameters': target(
    '/v1/pets?',
    distinct((name) => `${name}&`),
  ),
  'the number of query parameters, up to the limit': (size) =>
    get(`/v1/pets?${'limit=1&'.repeat(Math.floor(queryParametersMax * size))}`),
  'the length of the name of a query parameter': target('/v1/pets?', repeated('/~')),
  'the length of a cursor': target('/v1/pets?cursor=', repeated('M')),
  'the number of percent escapes in a query': target('/v1/pets?cursor=', repeated('%20')),
};

const creation = (line: string) => post(rex, line);
const preflight = (line: string) =>
  message('OPTIONS /v1/pets', ['Origin: https://pets.example', 'Access-Control-Request-Method: GET', line]);
/** Replaces a line of `get` or `post`. */
const instead = (line: string) => {
  const [name = ''] = line.split(':');
  return post(rex).replace(new RegExp(`^${name}: .*$`, 'm'), line);
};

const headers: LargeRequests = {
  'the length of a header': header('X-Padding: ', repeated('x')),
  'the number of header lines': header(
    '',
    distinct((name) => `x${name}: \r\n`),
    (lines) => get('/v1/pets', `${lines}x:`),
  ),
  'the number of lines of one header': header('', repeated('Cookie: a\r\n'), (lines) => get('/v1/pets', `${lines}x:`)),
  'the length of Host': header('Host: ', repeated('%41'), instead),
  'the length of an API key': header('Authorization: Bearer ', repeated('pets_live_'), instead),
  'the number of spaces before an API key': header('Authorization: Bearer', repeated(' '), (line) =>
    instead(`${line}x`),
  ),
  'the length of X-Request-Id': header('X-Request-Id: ', repeated('x')),
  'the length of traceparent': header('traceparent: ', repeated('00-')),
  'the length of Idempotency-Key': header('Idempotency-Key: "', repeated('\\"'), (line) => creation(`${line}"`)),
  'the number of expectations': header('Expect: ', repeated('100-continue,')),
  'the number of connection options': header('Connection: ', repeated('keep-alive,')),
  'the number of parameters of Content-Type': header(
    'Content-Type: application/json;',
    distinct((name) => `${name}=1;`),
    instead,
  ),
  'the number of escapes in a parameter of Content-Type': header(
    'Content-Type: application/json;a="',
    repeated('\\"'),
    instead,
  ),
  'the number of content codings': header('Content-Encoding: ', repeated('identity,'), creation),
  'the number of transfer codings': header('Transfer-Encoding: ', repeated('gzip,'), (line) =>
    get('/v1/pets', `${line}chunked`),
  ),
  'the number of addresses in X-Forwarded-For': header('X-Forwarded-For: ', repeated('::1,')),
  'the number of commas in X-Forwarded-For': header('X-Forwarded-For: ', repeated(',')),
  'the length of Origin': header('Origin: ', repeated('x')),
  'the number of headers that a CORS preflight request lists': header(
    'Access-Control-Request-Headers: ',
    repeated('a,'),
    preflight,
  ),
};

const documents: LargeRequests = {
  'the number of entity tags in If-None-Match': header('If-None-Match: ', repeated('"a",'), document_),
  'the number of commas in If-None-Match': header('If-None-Match: ', repeated(','), document_),
  'the number of codings in Accept-Encoding': header('Accept-Encoding: ', repeated('a,'), document_),
  'the number of weights in Accept-Encoding': header('Accept-Encoding: ', repeated('gzip;q=0.1,'), document_),
  'the number of commas in Accept-Encoding': header('Accept-Encoding: ', repeated(','), document_),
  'the number of directives in Cache-Control': header(
    'If-None-Match: "a"\r\nCache-Control: ',
    repeated('a,'),
    document_,
  ),
};

const bodies: LargeRequests = {
  'the number of spaces in a body': body('', repeated(' '), '{}'),
  'the depth of a body': body('', repeated('['), ''),
  'the number of arrays in a body': body('[', repeated('[],'), '0]'),
  'the number of objects in a body': body('[', repeated('{},'), '0]'),
  'the number of numbers in a body': body('[', repeated('1,'), '0]'),
  'the number of numbers in a body, up to the limit': bodyOf(1, '[', () => '9223372036854775807', ']'),
  'the number of strings in a body, up to the limit': bodyOf(1, '[', () => '"\\n"', ']'),
  'the number of unknown fields': body(
    '{',
    distinct((name) => `"${name}":0,`),
    '',
  ),
  'the number of unknown fields, up to the limit': bodyOf(1, '{', (index) => `"${String(index).padStart(55)}":0`, '}'),
  'the number of fields of a name that is an object': bodyOf(2, '{"name":{', (index) => `"${String(index)}":0`, '}}'),
  'the number of fields before one that is repeated': bodyOf(
    3,
    '{"a":0,',
    (index) => `"b${String(index)}":0`,
    ',"a":0}',
  ),
  'the length of an unknown field': body('{"', repeated('/~'), '":0}'),
  'the length of a name': body('{"categoryId":7,"name":"', repeated('a'), '"}'),
  'the number of spaces in a name': body('{"categoryId":7,"name":"', repeated(' '), '"}'),
  'the number of escapes in a name': body('{"categoryId":7,"name":"', repeated('\\u0041'), '"}'),
  'the length of a name that is not closed': body('{"categoryId":7,"name":"', repeated('\\\\'), ''),
  'the number of digits of a number': body('{"name":"Rex","categoryId":', repeated('1'), '}'),
  'the number of digits of a fraction': body('{"name":"Rex","categoryId":1.', repeated('1'), '}'),
};

/** A body of spaces in chunks of one byte each, up to a number. */
function chunked(line: string, countMax: number): LargeRequest {
  return (size) => {
    const chunks = '1\r\n \r\n'.repeat(Math.floor(countMax * size));
    return message(line, [key, 'Content-Type: application/json', 'Transfer-Encoding: chunked'], `${chunks}0\r\n\r\n`);
  };
}

const chunks: LargeRequests = {
  'the number of chunks': chunked('POST /v1/pets', bodyBytesMax),
  'the number of chunks of a body that is not expected': chunked('GET /v1/pets', bodyBytesMax),
  'the number of trailers': header(
    '',
    distinct((name) => `x${name}: \r\n`),
    (lines) =>
      message(
        'POST /v1/pets',
        [key, 'Content-Type: application/json', 'Transfer-Encoding: chunked'],
        `2\r\n{}\r\n0\r\n${lines}x:\r\n\r\n`,
      ),
  ),
};

/** For the service. */
export const largeRequests: LargeRequests = { ...targets, ...headers, ...documents, ...bodies, ...chunks };

/** For the mock. */
export const largeMockRequests: LargeRequests = {
  'the number of preferences': header('Prefer: ', repeated('a;b=c,')),
  'the number of spaces in Prefer': header('Prefer: a', repeated(' '), (line) => get('/v1/pets', `${line}\u00e9`)),
  'the number of escapes in a preference': header('Prefer: a="', repeated('\\"'), (line) =>
    get('/v1/pets', `${line}"`),
  ),
  'the number of different preferences': header(
    'Prefer: ',
    distinct((name) => `${name},`),
  ),
};
