import {
  chunked,
  client,
  creationHead,
  get,
  host,
  json,
  keyOf,
  lengthOf,
  message,
  toy,
} from '@contract-server/test-support/clients/raw-requests.js';

/** Requests that break or keep a rule, by the response to each (`400 malformed_http`, or `200`) and the rule. */
export type Rules = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

const key = keyOf(client);
const length = lengthOf(toy);
const toyChunks = `1d\r\n${toy}\r\n0\r\n\r\n`;

const start = (line: string) => message([line, host, key]);
const target = (text: string) => get(client, text);
const list = (...lines: readonly string[]) => get(client, '/v1/toys', ...lines);
const post = (lines: readonly string[], body = toy) => creationHead(client, ...lines) + body;
const inChunks = (body: string) => post([json, chunked], body);
const hostOf = (name: string) => message(['GET /v1/toys HTTP/1.1', `Host: ${name}`, key]);
const many = (count: number) => Array<string>(count).fill('x:');

/** Requests that are the last ones of their connections. */
export const rejected: Rules = {
  '400 malformed_http': {
    'a request line is a known method, a space, a target, a space and HTTP/1.1 or 1.0': [
      ...['BREW', 'get', 'GETX', 'G', '', ' GET', '{GET', 'GET\t'].map((method) =>
        start(`${method} /v1/toys HTTP/1.1`),
      ),
      ...['HTTP/2.0', 'HTTP/0.9', 'HTTP/1.2', 'HTTP/1', 'http/1.1', 'HTTPS/1.1'].map((each) => start(`GET / ${each}`)),
      ...['GET /\r\n\r\n', 'GET /v1/toys\tHTTP/1.1\r\nHost: x\r\n\r\n', 'GET /v1/toys HTTP/1.1\nHost: x\n\n'],
      ...['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03', '{"jsonrpc":"2.0"}\r\n'],
    ],
    'a target begins with a slash, an asterisk or http(s) with a host, and has no fragment or unencoded bytes': [
      ...['v1/toys', '?x', '%2f', 'x:80', '/v1/toys#x', 'http://x/v1/toys#', '/v1/toys/\x01', '/v1/toys/\xe9'],
      ...['/v1/ toys', 'http:///v1/toys', 'http://a@b/v1/toys', 'http://:80/', 'http://[::1/', 'http://x:y/', 'x://x'],
    ].map(target),
    'a header is a name, directly followed by a colon, and a value without control characters in one line': [
      ...['X-Odd', ': x', ' X-Odd: x', 'X-Odd : x', 'X\0: x', 'X\xe9: x', 'X-Odd: \x01', 'X-Odd: a\r\n b'],
      ...['X-Odd: a\nX-Even: b', 'X-Odd: a\rX-Even: b', 'Transfer-Encoding : chunked'],
    ].map((line) => list(line)),
    'HTTP/1.1 has one Host, which names a host': [
      ...[message(['GET /v1/toys HTTP/1.1', key]), list('host: x'), list('Host: y'), list(...many(90), 'Host: y')],
      ...['a, b', 'a b', 'a/b', 'a?b', 'a#b', 'a@b', 'a:b', 'a:80:80', 'a%zz', '[a', '"a"', '\xe9'].map(hostOf),
    ],
    'Authorization and Content-Type are not repeated': [
      list(key),
      list('authorization: Bearer x'),
      post([json, 'content-type: a/b', length]),
    ],
    'Content-Length is one plain number, without Transfer-Encoding': [
      ...['+29', '-29', '0x1d', '29.0', '2 9', '29,29', '', '1e1', '29x', '99999999999999999999'].map((value) =>
        post([json, `Content-Length: ${value}`]),
      ),
      ...['content-length: 29', 'Content-Length: 5', chunked, 'Transfer-Encoding: identity'].flatMap((line) => [
        ...[post([json, length, line]), post([json, line, length])],
      ]),
    ],
    'chunked is the last transfer coding, not in HTTP/1.0': [
      ...['identity', 'gzip', 'chunked, gzip', 'xchunked', 'chunkedx', '', 'chunked;q=1', '"chunked"', 'chunked,'],
      ...['chunked, chunked', 'chunked\r\nTransfer-Encoding: chunked', 'chunked\r\nTransfer-Encoding: identity'],
    ]
      .map((coding) => post([json, `Transfer-Encoding: ${coding}`], toyChunks))
      .concat(message(['POST /v1/toys HTTP/1.0', host, key, json, chunked], toyChunks)),
    'a chunk has a hexadecimal size and that many bytes, each followed by CR LF; trailers obey the rules of headers': [
      ...['0x1d', '-1d', ' 1d', '1d ', '', 'g', '1c', '1e', '10000000000000001d', '1d;\x01', '1d\n']
        .concat(`1d;${'x'.repeat(20_000)}`)
        .map((size) => inChunks(`${size}\r\n${toy}\r\n0\r\n\r\n`)),
      ...['A b', 'A : b', 'A: \0', 'Content-Length: 5', chunked].map((trailer) =>
        inChunks(`${toyChunks.slice(0, -2)}${trailer}\r\n\r\n`),
      ),
      message(['GET /v1/toys HTTP/1.1', host, key, chunked], 'g\r\n'),
    ],
  },
  '501 not_implemented': {
    'CONNECT is for proxies': [message(['CONNECT x:80 HTTP/1.1', host])],
    'chunked is the only transfer coding': [
      'gzip, chunked',
      'identity,chunked',
      'gzip\r\nTransfer-Encoding: chunked',
    ].map((coding) => post([json, `Transfer-Encoding: ${coding}`], toyChunks)),
  },
  '414 uri_too_long': {
    'a target has at most 8,000 bytes': [8001, 16_000, 32_000].map((bytes) => target(`/${'x'.repeat(bytes - 1)}`)),
  },
  '431 headers_too_large': {
    'headers have at most 16,384 bytes in at most 100 lines, and can be read together with the target': [
      target(`/${'x'.repeat(40_000)}`),
      ...[16_384, 40_000, 100_000].map((bytes) => list(`X-Odd: ${'x'.repeat(bytes)}`)),
      ...[list(`${'x'.repeat(40_000)}: x`), list(...many(99)), list(...many(1500))],
      inChunks(`${toyChunks.slice(0, -2)}X: ${'x'.repeat(40_000)}\r\n\r\n`),
    ],
  },
  '417 expectation_failed': {
    'only 100-continue can be expected': ['x', ',', '100-continue, x', '100-continue;x'].map((each) =>
      post([json, length, `Expect: ${each}`]),
    ),
  },
  '413 body_too_large': {
    'a long body is rejected without waiting for the rest': [
      ...['65537', '9007199254740993', '65537\r\nExpect: 100-continue'].map((length) =>
        post([json, `Content-Length: ${length}`], ''),
      ),
      // The rest of the chunk does not arrive.
      inChunks(`20000\r\n${' '.repeat(0x19000)}`),
    ],
  },
  '415 unsupported_media_type': {
    'a body of another media type is neither read to the end nor requested with 100 Continue': [
      post(['Content-Length: 300000'], 'x'.repeat(300_000)),
      post([length, 'Expect: 100-continue']),
    ],
  },
  '200': {
    'no request is served after one with Upgrade or Connection: close': [
      list('Connection: Upgrade', 'Upgrade: h2c'),
      list('Connection: close'),
      list('Connection: x, Close'),
    ],
  },
};

/** Requests after which the connection stays open. */
export const served: Rules = {
  '200': {
    'empty lines before a request, any other header and a body that is not needed are ignored': [
      `\r\n\r\n${list()}`,
      list('Transfer_Encoding: chunked', 'X-Odd: \xff', '__proto__: x', 'Range: x', 'TE: x', 'X-Request-Id: a, b'),
      ...[list(...many(98)), message(['GET /v1/toys HTTP/1.0', key, 'Connection: keep-alive'])],
      ...['', '[::1]:80', 'a_b:', 'evil.example', '%41'].map(hostOf),
      list('Content-Length: 34') + 'GET /v1/none HTTP/1.1\r\nHost: x\r\n\r\n',
    ],
  },
  '201': {
    'a body of any framing is read': [
      ...[post([json, length]), post([json, 'Content-Length: 00029 ']), inChunks(toyChunks)],
      inChunks(`0001D;a="b"\r\n${toy}\r\n0;b\r\nHost: evil\r\nAuthorization: x\r\n\r\n`),
      inChunks(`${Array.from(toy, (character) => `1\r\n${character}\r\n`).join('')}0\r\n\r\n`),
    ],
  },
};
