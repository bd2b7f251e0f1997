/** The response to a request: `400 malformed_http`, or only the status if it is not an error. */
export type Expected = string;
/** Raw requests by the responses to them, with the rule that defines these. */
export type Rule = readonly [rule: string, requests: Readonly<Record<Expected, readonly string[]>>];

/** A placeholder for a valid key. */
export const keyMark = '<key>';
const rex = '{"name":"Rex","categoryId":7}';

const host = 'Host: x';
const key = `Authorization: Bearer ${keyMark}`;
const json = 'Content-Type: application/json';
const length = `Content-Length: ${String(rex.length)}`;
const chunkedCoding = 'Transfer-Encoding: chunked';
const chunkedRex = '1d\r\n{"name":"Rex","categoryId":7}\r\n0\r\n\r\n';

const message = (lines: readonly string[], body = '') => `${lines.join('\r\n')}\r\n\r\n${body}`;
const start = (line: string) => message([line, host, key]);
const get = (...lines: readonly string[]) => message(['GET /v1/pets HTTP/1.1', host, key, ...lines]);
const list = (target: string) => start(`GET ${target} HTTP/1.1`);
const post = (lines: readonly string[], body = rex) => message(['POST /v1/pets HTTP/1.1', host, key, ...lines], body);
const chunked = (body: string) => post([json, chunkedCoding], body);
const chunkSize = (size: string) => chunked(`${size}\r\n${rex}\r\n0\r\n\r\n`);

/** A creation that must never be served. */
export const smuggled = post([json, 'Content-Length: 35'], '{"name":"Smuggled","categoryId":7}\n');

/** Requests after which the connection is closed. */
export const rejected: readonly Rule[] = [
  [
    'a request line is a known method, a space, a target, a space and HTTP/1.1 or 1.0',
    {
      '400 malformed_http': [
        ...['BREW', 'get', 'GETX', 'G', "!#$%&'*+-.^_`|~09", '', ' GET', '{GET', 'GET\t'].map((method) =>
          start(`${method} /v1/pets HTTP/1.1`),
        ),
        ...['HTTP/2.0', 'HTTP/0.9', 'HTTP/1.2', 'HTTP/1', 'HTTP/1.10', 'http/1.1', 'HTTP/1.1x', 'HTTPS/1.1'].map(
          (version) => start(`GET /v1/pets ${version}`),
        ),
        'GET /\r\n\r\n',
        'GET /v1/pets\tHTTP/1.1\r\nHost: x\r\n\r\n',
        'GET /v1/pets HTTP/1.1\nHost: x\n\n',
        'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
        '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03',
        'SSH-2.0-x\r\n',
        '{"jsonrpc":"2.0"}\r\n',
        '\xff\xfe\r\n',
      ],
    },
  ],
  [
    'a target begins with a slash, an asterisk or a scheme with a host, and has no fragment or unencoded bytes',
    {
      '400 malformed_http': [
        ...['v1/pets', '?x', '%2f', 'x:80', '/v1/pets#x', 'http://x/v1/pets#', '/v1/pets/\x01', '/v1/pets/\xe9'],
        ...['/v1/ pets', 'http:///v1/pets', 'http://a@b/v1/pets', 'http://:80/', 'http://[::1/', 'http://x:y/'],
      ].map(list),
    },
  ],
  ['CONNECT is for proxies', { '501 not_implemented': [message(['CONNECT x:80 HTTP/1.1', host])] }],
  [
    'a target has at most 8,000 bytes',
    { '414 uri_too_long': [8001, 16_000, 32_000].map((bytes) => list(`/${'x'.repeat(bytes - 1)}`)) },
  ],
  [
    'headers have at most 16,384 bytes in at most 100 lines',
    {
      '431 headers_too_large': [
        ...[16_384, 30_000, 40_000, 100_000].map((bytes) => get(`X-Odd: ${'x'.repeat(bytes)}`)),
        get(`${'x'.repeat(40_000)}: x`),
        get(...Array.from({ length: 99 }, () => 'x:')),
        get(...Array.from({ length: 1500 }, () => 'x:')),
        chunked(`${chunkedRex.slice(0, -2)}X: ${'x'.repeat(40_000)}\r\n\r\n`),
      ],
    },
  ],
  [
    'a header is a name, directly followed by a colon, and a value without control characters in one line',
    {
      '400 malformed_http': [
        ...['X-Odd', ': x', ' X-Odd: x', 'X-Odd : x', 'X Odd: x', '(X): x', 'X\0: x', 'X\xe9: x', 'X-Odd: \x01'],
        ...['X-Odd: a\r\n b', 'X-Odd: a\nX-Even: b', 'X-Odd: a\rX-Even: b', 'Transfer-Encoding : chunked'],
      ].map((line) => get(line)),
    },
  ],
  [
    'HTTP/1.1 has one Host, which names a host',
    {
      '400 malformed_http': [
        message(['GET /v1/pets HTTP/1.1', key]),
        get('host: x'),
        get('Host: y'),
        get(...Array.from({ length: 90 }, () => 'x:'), 'Host: y'),
        ...['a, b', 'a b', 'a/b', 'a?b', 'a#b', 'a@b', 'a:b', 'a:80:80', 'a%zz', '[a', '"a"', '\xe9'].map((name) =>
          message(['GET /v1/pets HTTP/1.1', `Host: ${name}`, key]),
        ),
      ],
    },
  ],
  [
    'Authorization and Content-Type are not repeated',
    { '400 malformed_http': [get(key), get('authorization: Bearer x'), post([json, 'content-type: a/b', length])] },
  ],
  [
    'Content-Length is one plain number, without Transfer-Encoding',
    {
      '400 malformed_http': [
        ...['+29', '-29', '0x1d', '29.0', '2 9', '29,29', '', '1e1', '29;', '29x', '99999999999999999999'].map(
          (value) => post([json, `Content-Length: ${value}`]),
        ),
        ...['content-length: 29', 'Content-Length: 5', chunkedCoding, 'Transfer-Encoding: identity'].flatMap((line) => [
          post([json, length, line]),
          post([json, line, length]),
        ]),
      ],
    },
  ],
  [
    'chunked is the last transfer coding, and is applied once, not in HTTP/1.0',
    {
      '400 malformed_http': [
        ...['identity', 'gzip', 'chunked, gzip', 'xchunked', 'chunkedx', '', 'chunked;q=1', '"chunked"', 'chunked,'],
        ...['chunked, chunked', 'chunked\r\nTransfer-Encoding: chunked', 'chunked\r\nTransfer-Encoding: identity'],
      ]
        .map((coding) => post([json, `Transfer-Encoding: ${coding}`], chunkedRex))
        .concat(message(['POST /v1/pets HTTP/1.0', host, key, json, chunkedCoding], chunkedRex)),
      '501 not_implemented': ['gzip, chunked', 'identity,chunked', 'gzip\r\nTransfer-Encoding: chunked'].map((coding) =>
        post([json, `Transfer-Encoding: ${coding}`], chunkedRex),
      ),
    },
  ],
  [
    'a chunk has a hexadecimal size and that many bytes, each followed by CR LF; trailers obey the rules of headers',
    {
      '400 malformed_http': [
        ...['0x1d', '-1d', ' 1d', '1d ', '', 'g', '1g', '1c', '1e', '10000000000000001d', '1d;\x01', '1d\n'].map(
          chunkSize,
        ),
        chunkSize(`1d;${'x'.repeat(20_000)}`),
        ...['A b', 'A : b', ': b', 'A: \0', 'Content-Length: 5', 'Transfer-Encoding: chunked'].map((trailer) =>
          chunked(`${chunkedRex.slice(0, -2)}${trailer}\r\n\r\n`),
        ),
        message(['GET /v1/pets HTTP/1.1', host, key, chunkedCoding], 'g\r\n'),
      ],
    },
  ],
  [
    'only 100-continue can be expected',
    {
      '417 expectation_failed': ['x', '100-continue, x', '100-continue;x', '200-ok'].map((expectation) =>
        post([json, length, `Expect: ${expectation}`]),
      ),
    },
  ],
  [
    'a long body is rejected without waiting for the rest',
    {
      '413 body_too_large': [
        post([json, 'Content-Length: 65537'], '{'),
        post([json, 'Content-Length: 65537', 'Expect: 100-continue'], ''),
        post([json, 'Content-Length: 9007199254740993'], '{'),
        chunked(`19000\r\n${' '.repeat(0x19000)}\r\n`),
      ],
      '415 unsupported_media_type': [
        post(['Content-Type: text/plain', 'Content-Length: 300000'], 'x'.repeat(300_000)),
        post(['Content-Type: text/plain', length, 'Expect: 100-continue']),
      ],
    },
  ],
  [
    'no request is served after one with Upgrade or Connection: close',
    { '200': [get('Connection: Upgrade', 'Upgrade: h2c'), get('Connection: close'), get('Connection: x, Close')] },
  ],
];

/** Requests after which the connection stays open. */
export const served: readonly Rule[] = [
  [
    'a known method that the path does not have returns 405',
    {
      '405 method_not_allowed': ['TRACE', 'PUT', 'PROPFIND'].map((method) => start(`${method} /v1/pets HTTP/1.1`)),
    },
  ],
  [
    'empty lines before a request and any other header are ignored',
    {
      '200': [
        `\r\n\r\n${get()}`,
        get('Transfer_Encoding: chunked', 'X-Odd: \xff', '__proto__: x', 'Range: x', 'TE: x', 'X-Request-Id: a, b'),
        get(...Array.from({ length: 98 }, () => 'x:')),
        ...['', '[::1]:80', 'a_b:', 'evil.example', '%41'].map((name) =>
          message(['GET /v1/pets HTTP/1.1', `Host: ${name}`, key]),
        ),
        message(['GET /v1/pets HTTP/1.0', key, 'Connection: keep-alive']),
      ],
    },
  ],
  [
    'a target in absolute form is served, and OPTIONS * returns 204',
    {
      '200': ['http://x/v1/pets', 'HTTPS://[::1]:80/v1/pets?limit=1'].map(list),
      '204': [message(['OPTIONS * HTTP/1.1', host])],
      '404 route_not_found': [list('*'), list('/v1//pets'), list('/v1/pets/../pets')],
    },
  ],
  [
    'an invalid target or query returns 400',
    {
      '400 malformed_url': ['/v1/pets/%', '/v1/pets/%ff', '/v1/pets?status=%zz', '/v1/pets?%c0%af=1'].map(list),
      '400 invalid_request': [
        ...['/v1/pets/__proto__', '/v1/pets?constructor=1', '/v1/pets?limit=1&limit=1', '/v1/pets?='].map(list),
        list(`/v1/pets?status=sold&x=${'x'.repeat(7900)}`),
      ],
    },
  ],
  [
    'a body of any framing is read',
    {
      '201': [
        post([json, length]),
        post([json, 'Content-Length: 00029 ']),
        chunked(chunkedRex),
        chunked('0001D;a="b"\r\n{"name":"Rex","categoryId":7}\r\n0;b\r\nHost: evil\r\nAuthorization: x\r\n\r\n'),
        chunked(`${Array.from(rex, (character) => `1\r\n${character}\r\n`).join('')}0\r\n\r\n`),
        post([json, length, 'Expect: ,']),
      ],
      '200': [
        message(['GET /v1/pets HTTP/1.1', host, key, 'Content-Length: 34'], 'GET /v1/none HTTP/1.1\r\nHost: x\r\n\r\n'),
      ],
    },
  ],
  [
    'a body that is not JSON in UTF-8 is rejected',
    {
      '415 unsupported_media_type': [
        ...['text/plain', '', '*/*', 'application/json; charset=utf-16', 'application/jsonx', '\xff'].map((type) =>
          post([`Content-Type: ${type}`, length]),
        ),
        post([json, length, 'Content-Encoding: gzip']),
      ],
      '400 malformed_json': [
        ...['{"name":1,"name":2}       ', '[1,]', `{"name":"\xff"}`, '{"name":"\\ud800"}', 'NaN', '[', '"\0"'],
        ...['\xef\xbb\xbf{}', '['.repeat(20_000), `[${'0,'.repeat(1000)}0]`],
      ].map((body) => post([json, `Content-Length: ${String(body.length)}`], body)),
    },
  ],
];
