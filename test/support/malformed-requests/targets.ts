import fc from 'fast-check';
import {
  characterOf,
  controls,
  digits,
  type Family,
  get,
  host,
  key,
  letters,
  malformed,
  message,
  notAscii,
  rejected,
  served,
  textOf,
  word,
} from './malformed-request.js';

const targetBytesMax = 8000;
/** Beyond this length, Node's parser fails before the end of the request line. */
const parsedBytesMax = 32_768;
const hex = textOf('0123456789abcdefABCDEF', { minLength: 2, maxLength: 2 });
/** Invalid percent escapes, and those of bytes that are not UTF-8. */
const badEscape = fc.oneof(
  fc.constantFrom('%', '%%', '%g0', '%0', '%zz', '%u0041', '%-1', '%+1'),
  fc.constantFrom('%ff', '%fe', '%c0%af', '%c1%81', '%80', '%ed%a0%80', '%f4%90%80%80', '%e2%82', '%f8%88%80%80%80'),
);
/** Separated by spaces, and the empty segment. */
const segments = [
  '',
  ...String.raw`.. . %2e%2e %2E %2f %2F..%2f %5c \ %00 %0d%0a %252e etc passwd ;x=1 ~root * @ : = %20 " <script> {} | ^`.split(
    ' ',
  ),
  '`',
];
const segment = fc.oneof(
  fc.constantFrom(...segments),
  word,
  hex.map((code) => `%${code}`),
);
const method = (target: string, name: string) => message([`${name} ${target} HTTP/1.1`, host, key]);

export const targets: readonly Family[] = [
  {
    rule: 'a target may have 8,000 bytes',
    requests: fc.integer({ min: targetBytesMax - 300, max: targetBytesMax }).chain((length) =>
      fc.constantFrom('/v1/nothing/', '/v1/pets/', '/v1/pets?status=sold&x=').map((start) => {
        const response = start === '/v1/nothing/' ? '404 route_not_found' : '400 invalid_request';
        return served(`GET ${start}x`, get(start.padEnd(length, 'x')), response);
      }),
    ),
  },
  {
    rule: 'a longer target returns 414',
    requests: fc
      .tuple(
        fc.integer({ min: targetBytesMax + 1, max: parsedBytesMax - 500 }),
        fc.constantFrom('/', '/v1/pets?x=', 'http://pets.example/', '/v1/pets/%41'),
      )
      .map(([length, start]) => rejected(get(start.padEnd(length, 'x')), '414 uri_too_long')),
  },
  {
    rule: 'a target beyond the limit of the parser returns 414, or 431 if its end has not arrived',
    requests: fc.integer({ min: parsedBytesMax, max: 200_000 }).map((length) => ({
      ...rejected(get('/'.padEnd(length, 'x')), '414 uri_too_long', '431 headers_too_large'),
      isWhole: true,
    })),
  },
  {
    rule: 'a target with a fragment returns 400',
    requests: fc
      .tuple(
        fc.constantFrom('/v1/pets', '/v1/pets?limit=1', '/', '/openapi.yaml', 'http://pets.example/v1/pets'),
        textOf(`${letters}/?#`, { maxLength: 20 }),
      )
      .map(([start, fragment]) => malformed(get(`${start}#${fragment}`))),
  },
  {
    rule: 'a target with blanks, control characters or characters beyond ASCII returns 400',
    requests: fc
      .tuple(
        fc.constantFrom('/v1/pets/', '/v1/pets?status=', '/', '/v1/'),
        word,
        fc.oneof(characterOf(`${controls}${notAscii}\t`), fc.constant(' x')),
        word,
      )
      .map(([start, before, character, after]) => malformed(get(`${start}${before}${character}${after}`))),
  },
  {
    rule: 'an invalid percent escape returns 400 on a known path, and 404 on an unknown one',
    requests: fc.tuple(badEscape, textOf(digits, { maxLength: 5 }), fc.nat(3)).map(([escape, value, place]) => {
      if (place === 0) return served('GET /v1/pets/1', get(`/v1/pets/${value}${escape}x`), '400 malformed_url');
      if (place === 1) return served('GET /v1/pets', get(`/v1/pets?status=${value}${escape}x`), '400 malformed_url');
      if (place === 2) return served('GET /v1/pets', get(`/v1/pets?${escape}x${value}=1`), '400 malformed_url');
      return served('GET /nothing', get(`/${value}${escape}x`), '404 route_not_found');
    }),
  },
  {
    rule: 'dot segments and slashes, encoded or not, match no other path',
    requests: fc
      .tuple(
        fc.constantFrom('/v1/', '/v1/pets/', '/', '//', '/v1/pets/1/', '/openapi.yaml/'),
        fc.array(segment, { minLength: 1, maxLength: 6 }),
      )
      .map(([start, segments]) => `${start}${segments.join('/')}`)
      // The digits of an id may be percent-encoded.
      .filter(
        (target) => !['/', '/v1/pets', '/openapi.yaml'].includes(target) && !/^\/v1\/pets\/(%3[0-9])+$/i.test(target),
      )
      .map((target) =>
        served(
          `GET ${/^\/v1\/pets\/[^/]+$/.test(target) ? '/v1/pets/1' : target}`,
          get(target),
          ...['404 route_not_found', '400 invalid_request', '400 malformed_url', '404 pet_not_found'],
        ),
      ),
  },
  {
    rule: 'names of JavaScript properties are treated like other names',
    requests: fc
      .tuple(
        fc.constantFrom(
          '__proto__',
          'constructor',
          'toString',
          'hasOwnProperty',
          'prototype',
          '__defineGetter__',
          'valueOf',
        ),
        word,
        fc.nat(3),
      )
      .map(([name, value, place]) => {
        if (place === 0) return served(`GET /v1/${name}`, get(`/v1/${name}/${value}`), '404 route_not_found');
        if (place === 1)
          return served('GET /v1/pets/1', get(`/v1/pets/${name}`, `X-Odd: ${value}`), '400 invalid_request');
        return served(
          'GET /v1/pets',
          get(`/v1/pets?${name}${place === 2 ? '' : '[x]'}=${value}`),
          '400 invalid_request',
        );
      }),
  },
  {
    rule: 'unknown, repeated, unnamed or too many parameters return 400',
    requests: fc
      .array(
        fc.tuple(
          fc.constantFrom('limit', 'status', 'cursor', 'x', '', 'LIMIT', 'limit[]'),
          fc.constantFrom('', '1', '%00', '0x10', '1e1', '-1', '9'.repeat(400), 'sold,sold', '+5', '%20'),
        ),
        { minLength: 3, maxLength: 200 },
      )
      .map((pairs) => pairs.map((pair) => pair.join('=')).join('&'))
      .map((query) =>
        served(
          'GET /v1/pets',
          get(`/v1/pets?${query.slice(0, 7000)}`),
          '400 invalid_request',
          '400 malformed_url',
          '400 invalid_cursor',
        ),
      ),
  },
  {
    rule: 'a target in absolute form is served, whatever its host (RFC 9112, section 3.2.2)',
    requests: fc
      .tuple(
        fc.constantFrom('http', 'https', 'HTTP', 'hTTpS'),
        fc.oneof(
          word,
          fc.constantFrom('[::1]', '127.0.0.1', 'a.b-c_d~e', '%41', 'x:', 'x:0', 'x:65536', '[::ffff:1.2.3.4]:80'),
        ),
        fc.constantFrom(
          ['', '302'] as const,
          ['/v1/pets', '200'] as const,
          ['?limit=1', '302'] as const,
          ['/v1/pets?limit=0', '400 invalid_request'] as const,
          ['/v1/none', '404 route_not_found'] as const,
        ),
      )
      .map(([scheme, authority, [path, response]]) =>
        served(`GET ${path === '' ? '/' : path}`, get(`${scheme}://${authority}${path}`), response),
      ),
  },
  {
    rule: 'an absolute target without a valid host returns 400',
    requests: fc
      .tuple(
        fc.constantFrom('http', 'https', 'ftp', 'ws'),
        fc.oneof(
          fc.constant(''),
          word.map((user) => `${user}@x`),
          fc.constantFrom('a:b@x', ':80', ':', 'x:y', 'x:-1', '[::1', '::1]', '[g::1]', 'x,y', 'x%zz', ':80:80', '[]x'),
        ),
        fc.constantFrom('/', '/v1/pets', '/v1/pets?limit=1'),
      )
      .map(([scheme, authority, path]) => malformed(get(`${scheme}://${authority}${path}`))),
  },
  {
    rule: 'a target of another scheme returns 404',
    requests: fc.tuple(fc.constantFrom('ftp', 'file', 'ws', 'gopher', 'javascript'), word).map(([scheme, name]) => {
      // Express finds no host after `javascript:`, so the path does not begin with /v1.
      const operation = scheme === 'javascript' ? 'GET /' : 'GET /v1/-';
      return served(operation, get(`${scheme}://${name}/v1/pets`), '404 route_not_found');
    }),
  },
  {
    rule: 'a target in authority form is for CONNECT, which returns 501 and closes the connection',
    requests: fc.oneof(
      fc.tuple(word, fc.nat(70_000)).map(([name, port]) => malformed(get(`${name}:${String(port)}`))),
      fc
        .tuple(word, fc.nat(70_000), fc.constantFrom('', 'hello', get()))
        .map(([name, port, rest]) =>
          rejected(`${method(`${name}:${String(port)}`, 'CONNECT')}${rest}`, '501 not_implemented'),
        ),
    ),
  },
  {
    rule: 'OPTIONS * is served, and an asterisk with another method returns 404',
    requests: fc
      .tuple(
        fc.constantFrom('OPTIONS', 'GET', 'POST', 'DELETE', 'TRACE'),
        fc.constantFrom('*', '*?x=1', '**', '*/v1/pets'),
        word,
      )
      .map(([name, target, value]) => {
        const isKnown = name === 'OPTIONS' && (target === '*' || target === '*?x=1');
        return served(
          `${name} /`,
          message([`${name} ${target} HTTP/1.1`, host, `X-Odd: ${value}`]),
          isKnown ? '204' : '404 route_not_found',
        );
      }),
  },
  {
    rule: 'a target begins with a slash, an asterisk or a scheme',
    requests: fc
      .tuple(fc.constantFrom('', '?', 'v1/pets', '.', '%2f', '-', 'x', '../', '1http://x/', '&', '=', '_'), word)
      .map(([start, rest]) => malformed(get(start === '' ? '' : `${start}${rest}`))),
  },
];
