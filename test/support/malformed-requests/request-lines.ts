import { METHODS } from 'node:http';
import fc from 'fast-check';
import {
  bytes,
  characterOf,
  crlf,
  type Family,
  get,
  host,
  key,
  letters,
  malformed,
  message,
  rejected,
  served,
  textOf,
  tokenCharacters,
} from './malformed-request.js';

const known = METHODS.filter((method) => method !== 'CONNECT');
const special: Readonly<Record<string, string>> = {
  GET: '200',
  HEAD: '200',
  OPTIONS: '204',
  POST: '400 invalid_request',
};
const withLine = (line: string, ...lines: readonly string[]) => message([line, host, key, ...lines]);

export const requestLines: readonly Family[] = [
  {
    rule: 'an unknown method returns 501',
    requests: textOf(tokenCharacters, { minLength: 1, maxLength: 16 })
      .filter((method) => !METHODS.includes(method) && method !== 'PRI')
      .map((method) => ({
        ...rejected(withLine(`${method} /v1/pets HTTP/1.1`), '501 not_implemented'),
        // In pieces, a text that begins like a known method could be lost.
        isWhole: /^[A-Z_-]*$/.test(method),
      })),
  },
  {
    rule: 'a request line is a method, a blank, a target, a blank and a version',
    requests: fc
      .tuple(
        textOf(tokenCharacters, { maxLength: 8 }),
        characterOf('{}()[]<>@,;:\\"/?='),
        fc.constantFrom(
          'X /v1/pets HTTP/1.1',
          'X  /v1/pets HTTP/1.1',
          'X /v1/pets',
          'X',
          'X /v1/pets HTTP/2.0',
          'X /v1/pets HTTX/1.1',
        ),
      )
      .map(([method, separator, rest]) =>
        malformed(
          withLine(rest.startsWith('X /v1/pets HTTP/1.1') ? `${method}${separator}${rest}` : `!${method}${rest}`),
        ),
      ),
  },
  {
    rule: 'a known method that the path does not have returns 405',
    requests: fc
      .tuple(fc.constantFrom(...known), textOf(letters, { maxLength: 8 }))
      .map(([method, value]) =>
        served(
          `${method} /v1/pets`,
          withLine(`${method} /v1/pets HTTP/1.1`, `X-Odd: ${value}`),
          special[method] ?? '405 method_not_allowed',
        ),
      ),
  },
  {
    rule: 'a version other than 1.0 and 1.1 returns 505',
    requests: fc
      .tuple(fc.nat(9), fc.nat(9), fc.constantFrom('GET', 'POST', 'HEAD', 'FOO'))
      .filter(([major, minor, method]) => (major !== 1 || minor > 1) && method !== 'HEAD' && method !== 'FOO')
      .map(([major, minor, method]) =>
        rejected(
          withLine(`${method} /v1/pets HTTP/${String(major)}.${String(minor)}`),
          '505 http_version_not_supported',
        ),
      ),
  },
  {
    rule: 'a malformed version returns 400',
    requests: fc
      .constantFrom(
        ...[
          'HTTP/1',
          'HTTP/11.1',
          'HTTP/1.10',
          'http/1.1',
          'Http/1.1',
          'HTTP/1,1',
          'HTTP/x.1',
          'HTTP/1.x',
          'HTTP/1.1 ',
          'HTTP /1.1',
        ],
        ...[
          'HTTP/ 1.1',
          'HTTP/1. 1',
          'HTTP/-1.1',
          'HTTP/+1.1',
          'HTTP/1.1x',
          'HTTPS/1.1',
          'HTP/1.1',
          'ICE/1.0',
          'XTTP/1.1',
          '1.1',
          'HTTP',
          'HTTP/',
        ],
      )
      .map((version) => malformed(withLine(`GET /v1/pets ${version}`))),
  },
  {
    rule: 'a request line without a version, as in HTTP/0.9, returns 505',
    requests: textOf(`${letters}/`, { maxLength: 20 }).map((path) =>
      rejected(`GET /${path}${crlf}${crlf}`, '505 http_version_not_supported'),
    ),
  },
  {
    rule: 'the preface of HTTP/2 returns 505',
    requests: textOf(bytes(0, 0xff), { maxLength: 40 }).map((frames) =>
      rejected(`PRI * HTTP/2.0${crlf}${crlf}SM${crlf}${crlf}${frames}`, '505 http_version_not_supported'),
    ),
  },
  {
    rule: 'the parts of a request line are separated by one blank, and CR LF ends it',
    requests: fc
      .tuple(
        fc.constantFrom(
          'GET\t/v1/pets HTTP/1.1',
          'GET /v1/pets\tHTTP/1.1',
          'GET\v/v1/pets HTTP/1.1',
          'GET/v1/pets HTTP/1.1',
          ' GET /v1/pets HTTP/1.1',
        ),
        fc.constantFrom(crlf, '\n', '\r', '\r\r\n'),
        fc.boolean(),
      )
      .map(([line, end, isGood]) => {
        const isFine = isGood && end === crlf;
        const first = isGood ? 'GET /v1/pets HTTP/1.1' : line;
        const text = `${first}${end}${host}${crlf}${key}${crlf}${crlf}`;
        return isFine ? served('GET /v1/pets', text, '200') : malformed(text);
      }),
  },
  {
    rule: 'empty lines before a request line are ignored (RFC 9112, section 2.2)',
    requests: textOf('\r\n', { maxLength: 3 })
      .map((text) => text.replaceAll('\r', crlf))
      .map((empty) => served('GET /v1/pets', `${empty}${get()}`, '200')),
  },
  {
    rule: 'bytes of other protocols return 400',
    requests: fc
      .tuple(
        fc.constantFrom(
          '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03',
          'SSH-2.0-x',
          'EHLO x',
          '{"jsonrpc":"2.0"}',
          '\x00',
          '*1\r\n$4\r\nPING',
          'PROXY TCP4 1.1.1.1 2.2.2.2 3 4',
          '\xff\xfe',
          'GEX',
          '<?xml',
        ),
        textOf(bytes(0, 0xff), { maxLength: 30 }),
      )
      .map(([start, rest]) => ({ ...malformed(`${start}${rest}`), isCut: true })),
  },
];
