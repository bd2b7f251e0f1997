import fc from 'fast-check';
import { chunk, createChunked, lastChunk, pieces } from './chunked.js';
import {
  controls,
  crlf,
  type Family,
  malformed,
  notAscii,
  rejected,
  rex,
  served,
  smuggled,
  textOf,
  word,
} from './malformed-request.js';

export const chunks: readonly Family[] = [
  {
    rule: 'chunks of any length form one body, also with extensions, trailers and leading zeros in sizes',
    requests: fc
      .tuple(
        pieces,
        fc.constantFrom('', ';a', ';a=b', ';a="b c"', ';a="\\""', ';a;b=1'),
        fc.nat(20),
        fc.constantFrom(
          '',
          `A: b${crlf}`,
          `Host: evil.example${crlf}Authorization: Bearer x${crlf}`,
          `X: ${'y'.repeat(500)}${crlf}`,
        ),
        fc.boolean(),
      )
      .map(([parts, extension, zeros, trailers, isUpper]) => {
        const size = (part: string) =>
          `${'0'.repeat(zeros)}${isUpper ? part.length.toString(16).toUpperCase() : part.length.toString(16)}`;
        const body = parts.map((part) => chunk(part, size(part), extension)).join('');
        return served('POST /v1/pets', createChunked(`${body}0${extension}${crlf}${trailers}${crlf}`), '201');
      }),
  },
  {
    rule: 'a chunk has a plain hexadecimal size and that many bytes, each followed by CR LF',
    requests: fc
      .tuple(
        fc.oneof(
          fc.constantFrom(
            '0x1d',
            '+1d',
            '-1d',
            ' 1d',
            '1d ',
            '1d\t',
            '',
            'g',
            '1g',
            '1d,',
            '1d.0',
            '1D h',
            '10000000000000001d',
            '1c',
            '1e',
            '\n1d',
            '1d;',
            '1d; ',
            '1d;\x01',
            '1d;a=\x7f',
            '1d ;a',
            '1d;a\nb',
            '1d;a\rb',
            '1d;a="\n"',
            '１d',
          ),
          textOf(`${controls}${notAscii}ghijklmnopqrstuvwxyz!"#$%&'()*+,-./:<=>?@`, { minLength: 1, maxLength: 4 }),
        ),
        fc.constantFrom(lastChunk, `${lastChunk}${smuggled}`, smuggled),
      )
      .map(([size, rest]) =>
        malformed(createChunked(`${Buffer.from(size, 'latin1').toString('latin1')}${crlf}${rex}${crlf}${rest}`)),
      ),
  },
  {
    rule: 'every line of a chunked body ends with CR LF',
    requests: fc.tuple(fc.nat(3), fc.constantFrom('\n', '\r', '\r\r\n', ''), word).map(([place, end, name]) => {
      const ends = [crlf, crlf, crlf, crlf].map((usual, index) => (index === place ? end : usual));
      return malformed(
        createChunked(
          `1d${ends[0] ?? ''}${rex}${ends[1] ?? ''}0${ends[2] ?? ''}${ends[3] ?? ''}${end === '' && place === 3 ? 'x' : ''}${smuggled}`,
          `X-Odd: ${name}`,
        ),
      );
    }),
  },
  {
    rule: 'trailers obey the rules of headers, and do not change the framing',
    requests: fc
      .tuple(
        fc.constantFrom(
          'A b',
          'A : b',
          ' A: b',
          ': b',
          'A: \x00',
          'A: b\nC: d',
          'Content-Length: 5',
          'Transfer-Encoding: chunked',
          'Content-Length: 29',
          `A: b${crlf} c`,
        ),
        word,
      )
      .map(([trailer, name]) =>
        malformed(createChunked(`${chunk(rex)}0${crlf}X-Odd: ${name}${crlf}${trailer}${crlf}${crlf}${smuggled}`)),
      ),
  },
  {
    rule: 'too long trailers and chunk extensions are rejected',
    requests: fc.oneof(
      fc
        .integer({ min: 33_000, max: 120_000 })
        .map((length) =>
          rejected(
            createChunked(`${chunk(rex)}0${crlf}X: ${'x'.repeat(length)}${crlf}${crlf}`),
            '431 headers_too_large',
          ),
        ),
      fc
        .integer({ min: 16_385, max: 120_000 })
        .map((length) => malformed(createChunked(`${chunk(rex, '1d', `;${'x'.repeat(length)}`)}${lastChunk}`))),
    ),
  },
];
