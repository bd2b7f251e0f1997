import fc from 'fast-check';
import {
  bytes,
  characterOf,
  create,
  crlf,
  digits,
  type Family,
  get,
  host,
  json,
  key,
  keyMark,
  letters,
  malformed,
  message,
  notAscii,
  rex,
  served,
  textOf,
  tokenCharacters,
  word,
} from './malformed-request.js';

const token = textOf(tokenCharacters, { minLength: 1, maxLength: 20 });
const visible = bytes(0x21, 0x7e);
/** A header value, which may contain bytes beyond ASCII. */
const value = textOf(`${visible} \t${notAscii}`, { maxLength: 60 });
const withHosts = (...hosts: readonly string[]) =>
  message(['GET /v1/pets HTTP/1.1', ...hosts.map((name) => `Host: ${name}`), key]);
const caseOf = (name: string) => fc.constantFrom(name, name.toLowerCase(), name.toUpperCase());

export const headers: readonly Family[] = [
  {
    rule: 'HTTP/1.1 has one Host, which names a host (RFC 9112, section 3.2)',
    requests: fc.oneof(
      word.map((name) => malformed(message(['GET /v1/pets HTTP/1.1', key, `X-Odd: ${name}`]))),
      fc.tuple(word, word).map(([one, other]) => malformed(withHosts(one, other))),
      word.map((name) => malformed(withHosts(name, name))),
      fc
        .tuple(
          word,
          fc.constantFrom(
            ',',
            ', ',
            ' ',
            '/',
            '?',
            '#',
            '@',
            '\\',
            ':x',
            ':80:80',
            '%zz',
            '%-',
            '"',
            '<',
            '[',
            ']',
            '\xe9',
            '\t',
          ),
          word,
        )
        .map(([one, between, other]) => malformed(withHosts(`${one}${between}${other}`))),
    ),
  },
  {
    rule: 'Host may be empty, an address, or have a port, and is never trusted',
    requests: fc
      .tuple(
        fc.oneof(
          word,
          fc.constantFrom(
            '',
            '127.0.0.1',
            '[::1]',
            '[fe80::1]',
            'a_b',
            "a!$&'()*+;=b",
            '%41',
            'xn--bcher-kva.example',
            'evil.example',
          ),
        ),
        fc.constantFrom('', ':', ':80', ':99999'),
      )
      .map(([name, port]) => served('GET /v1/pets', withHosts(`${name}${port}`), '200')),
  },
  {
    rule: 'HTTP/1.0 needs no Host, and the connection is closed unless the request has Connection: keep-alive',
    requests: fc.tuple(fc.boolean(), word).map(([keepsAlive, name]) => ({
      ...served(
        'GET /v1/pets',
        message(['GET /v1/pets HTTP/1.0', key, `X-Odd: ${name}`, ...(keepsAlive ? ['Connection: keep-alive'] : [])]),
        '200',
      ),
      keepsAlive,
    })),
  },
  {
    rule: 'Authorization and Content-Type must not be repeated, in any case',
    requests: fc.oneof(
      fc
        .tuple(caseOf('Authorization'), word)
        .map(([name, other]) => malformed(get('/v1/pets', `${name}: Bearer ${other}`))),
      caseOf('Authorization').map((name) => malformed(get('/v1/pets', `${name}: Bearer ${keyMark}`))),
      fc
        .tuple(caseOf('Content-Type'), word)
        .map(([name, other]) => malformed(create(rex, json, `${name}: text/${other}`))),
    ),
  },
  {
    rule: 'other headers may have any value',
    requests: fc
      .array(
        fc.tuple(
          fc.oneof(
            token.map((name) => `X-${name}`),
            fc.constantFrom(
              'Accept',
              'Accept-Language',
              'Cookie',
              'Range',
              'If-None-Match',
              'If-Modified-Since',
              'Referer',
              'User-Agent',
              'TE',
              'Via',
              'Forwarded',
              'X-Forwarded-For',
              'Origin',
              'Trailer',
              'Transfer_Encoding',
              'Content_Length',
              '__proto__',
              'constructor',
            ),
          ),
          value,
        ),
        { minLength: 1, maxLength: 12 },
      )
      .map((lines) => served('GET /v1/pets', get('/v1/pets', ...lines.map((line) => line.join(': '))), '200')),
  },
  {
    rule: 'an invalid X-Request-Id, or one that contains an API key, is replaced',
    requests: fc
      .oneof(
        value,
        fc.constantFrom(
          keyMark,
          `x${keyMark}`,
          'a, b',
          'x'.repeat(129),
          'x'.repeat(5000),
          '../../etc/passwd',
          '${jndi:ldap://x}',
        ),
      )
      .map((id) => served('GET /v1/pets', get('/v1/pets', `X-Request-Id: ${id}`), '200')),
  },
  {
    rule: 'Idempotency-Key is a single value of at most 255 visible characters',
    requests: fc
      .oneof(
        fc.tuple(word, characterOf(` \t${notAscii}`), word).map((parts) => `Idempotency-Key: ${parts.join('')}`),
        fc.tuple(word, word).map((keys) => keys.map((name) => `Idempotency-Key: ${name}`).join(crlf)),
        textOf(letters, { minLength: 256, maxLength: 300 }).map((name) => `Idempotency-Key: ${name}`),
        word.map((name) => `Idempotency-Key: "${name}`),
      )
      .map((line) => served('POST /v1/pets', create(rex, json, line), '400 invalid_request')),
  },
  {
    rule: 'an invalid key returns 401, or 429 above the limit of the address',
    requests: fc
      .tuple(
        fc.constantFrom(
          'Bearer',
          'Bearer ',
          'bearer',
          'Basic',
          'Token',
          '',
          'Bearer Bearer',
          'Bearer pets_live_',
          `Bearer ${keyMark}x`,
          `Bearer\t${keyMark}`,
          `x Bearer ${keyMark}`,
        ),
        textOf(`${visible}${notAscii}`, { maxLength: 50 }),
      )
      .map(([scheme, text]) =>
        served(
          'GET /v1/pets',
          message(['GET /v1/pets HTTP/1.1', host, `Authorization: ${scheme} ${text}`]),
          '401 missing_api_key',
          '401 invalid_api_key',
          '429 rate_limit_exceeded',
        ),
      ),
  },
  {
    rule: 'Upgrade is ignored, and the connection is closed after the response',
    requests: fc
      .tuple(
        fc.constantFrom('websocket', 'h2c', 'TLS/1.0', 'HTTP/3.0', 'x'),
        fc.constantFrom('Upgrade', 'upgrade, HTTP2-Settings', 'keep-alive, Upgrade'),
        textOf(`${letters}${digits}`, { maxLength: 24 }),
      )
      .map(([protocol, connection, settings]) => ({
        ...served(
          'GET /v1/pets',
          get('/v1/pets', `Connection: ${connection}`, `Upgrade: ${protocol}`, `HTTP2-Settings: ${settings}`),
          '200',
        ),
        keepsAlive: false,
      })),
  },
  {
    rule: 'no request is served after one with Connection: close',
    requests: fc
      .tuple(fc.constantFrom('close', 'Close', 'foo, close', 'close, foo'), value)
      .map(([connection, text]) => ({
        ...served('GET /v1/pets', get('/v1/pets', `Connection: ${connection}`, `X-Odd: ${text}`), '200'),
        keepsAlive: false,
      })),
  },
];
