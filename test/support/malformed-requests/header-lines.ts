import fc from 'fast-check';
import {
  bytes,
  characterOf,
  controls,
  crlf,
  type Family,
  get,
  host,
  key,
  malformed,
  message,
  notAscii,
  rejected,
  served,
  textOf,
  tokenCharacters,
  word,
} from './malformed-request.js';

const headerBytesMax = 16_384;
const headerLinesMax = 100;
const parsedBytesMax = 32_768;
const token = textOf(tokenCharacters, { minLength: 1, maxLength: 20 });
const visible = bytes(0x21, 0x7e);
/** A header value, which may contain bytes beyond ASCII. */
const value = textOf(`${visible} \t${notAscii}`, { maxLength: 60 });

export const headerLines: readonly Family[] = [
  {
    rule: 'a header name is a token, directly followed by a colon',
    requests: fc
      .tuple(token, characterOf(`()<>@,;\\"/[]?={} \t${controls}${notAscii}`), token, fc.boolean())
      .map(([before, character, after, isFirst]) => `${isFirst ? '' : before}${character}${after}`)
      .map((name) => malformed(get('/v1/pets', `X-Odd: 1`, `${name}: x`))),
  },
  {
    rule: 'a header line without a name or a colon returns 400',
    requests: fc.oneof(
      token.map((name) => malformed(get('/v1/pets', name))),
      fc
        .constantFrom(':', ': x', ' : x', '=', '()', '{')
        .chain((line) => word.map((name) => malformed(get('/v1/pets', `X-Odd: ${name}`, line)))),
    ),
  },
  {
    rule: 'a header has no control characters, and is not folded over lines (RFC 9112, section 5.2)',
    requests: fc.oneof(
      fc
        .tuple(value, characterOf(controls), value)
        .map(([before, control, after]) => malformed(get('/v1/pets', `X-Odd: x${before}${control}${after}x`))),
      fc
        .tuple(word, fc.constantFrom(' ', '\t'), word)
        .map(([before, blank, after]) => malformed(get('/v1/pets', `X-Odd: ${before}${crlf}${blank}${after}`))),
      fc
        .tuple(fc.constantFrom(' ', '\t'), word)
        .map(([blank, after]) => malformed(message(['GET /v1/pets HTTP/1.1', `${blank}X-Odd: ${after}`, host, key]))),
    ),
  },
  {
    rule: 'a line ends with CR LF, not with CR or LF alone',
    requests: fc
      .tuple(word, fc.constantFrom('\n', '\r', '\r\r\n', '\n\r'), word)
      .map(([one, end, other]) => malformed(get('/v1/pets', `X-Odd: ${one}${end}X-Even: ${other}`))),
  },
  {
    rule: 'headers of more than 16,384 bytes or 100 lines return 431',
    requests: fc.oneof(
      fc
        .integer({ min: headerBytesMax, max: parsedBytesMax - 200 })
        .map((length) => rejected(get('/v1/pets', `X-Odd: ${'x'.repeat(length)}`), '431 headers_too_large')),
      fc
        .integer({ min: headerBytesMax, max: parsedBytesMax - 200 })
        .map((length) => rejected(get('/v1/pets', `${'x'.repeat(length)}: x`), '431 headers_too_large')),
      fc
        .integer({ min: headerLinesMax, max: 9000 })
        .map((count) =>
          rejected(get('/v1/pets', ...Array.from({ length: count }, () => 'a:')), '431 headers_too_large'),
        ),
    ),
  },
  {
    rule: 'headers beyond the limit of the parser return 431',
    requests: fc.tuple(fc.integer({ min: parsedBytesMax, max: 150_000 }), fc.boolean()).map(([length, isName]) => ({
      ...rejected(
        get('/v1/pets', isName ? `${'x'.repeat(length)}: x` : `X-Odd: ${'x'.repeat(length)}`),
        '431 headers_too_large',
      ),
      isWhole: true,
    })),
  },
  {
    rule: 'many short headers are accepted, none is dropped, and a second Host after them is detected',
    requests: fc.tuple(fc.integer({ min: 50, max: headerLinesMax - 10 }), fc.boolean()).map(([count, isRepeated]) => {
      const lines = Array.from({ length: count }, (_, index) => `x${String(index % 10)}:`);
      return isRepeated
        ? malformed(get('/v1/pets', ...lines, 'Host: x'))
        : served('GET /v1/pets', get('/v1/pets', ...lines), '200');
    }),
  },
];
