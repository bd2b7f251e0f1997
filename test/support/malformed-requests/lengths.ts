import fc from 'fast-check';
import { chunk, chunkedCoding, lastChunk } from './chunked.js';
import {
  create,
  crlf,
  type Family,
  host,
  json,
  key,
  malformed,
  message,
  post,
  rejected,
  rex,
  served,
  smuggled,
  word,
} from './malformed-request.js';

export const lengths: readonly Family[] = [
  {
    rule: 'Content-Length is a plain number',
    requests: fc
      .oneof(
        fc.constantFrom(
          '+29',
          '-29',
          '0x1d',
          '29.0',
          '2 9',
          '29,29',
          '29, 29',
          '',
          '1e1',
          '29;',
          '"29"',
          '٢٩',
          '\x0b29',
          'NaN',
          '29 29',
          '٠',
        ),
        fc.bigInt({ min: 2n ** 64n, max: 2n ** 80n }).map(String),
        fc.tuple(word, fc.nat(99)).map(([text, number]) => `${String(number)}${text}`),
      )
      .chain((length) =>
        word.map((name) =>
          malformed(post([json, `X-Odd: ${name}`, `Content-Length: ${Buffer.from(length).toString('latin1')}`], rex)),
        ),
      ),
  },
  {
    rule: 'a Content-Length may have a tab after it (RFC 9110, section 5.6.3); the parser of Node 20 rejects it',
    requests: word.map((name) => {
      const bytes = post([json, `X-Odd: ${name}`, 'Content-Length: 29\t'], rex);
      return process.versions.node.startsWith('20.') ? malformed(bytes) : served('POST /v1/pets', bytes, '201');
    }),
  },
  {
    rule: 'Content-Length may have leading zeros, and blanks around it',
    requests: fc
      .tuple(fc.nat(30), fc.constantFrom('', ' ', '\t', '  '), fc.constantFrom('', ' ', '  '), word)
      .map(([zeros, before, after, name]) =>
        served(
          'POST /v1/pets',
          post([json, `X-Odd: ${name}`, `Content-Length:${before}${'0'.repeat(zeros)}29${after}`], rex),
          '201',
        ),
      ),
  },
  {
    rule: 'a request has only one Content-Length or Transfer-Encoding, in any order (RFC 9112, section 6.3)',
    requests: fc
      .tuple(
        fc.shuffledSubarray(
          [
            'Content-Length: 5',
            'Content-Length: 29',
            'content-length: 5',
            chunkedCoding,
            'transfer-encoding: chunked',
            'Transfer-Encoding: identity',
            'Transfer-Encoding: gzip, chunked',
            'Transfer-Encoding:',
          ],
          { minLength: 2, maxLength: 3 },
        ),
        word,
      )
      .filter(([lines]) => lines.some((line) => /^content-length/i.test(line)))
      .map(([lines, name]) => malformed(post([json, `X-Odd: ${name}`, ...lines], `0${crlf}${crlf}${smuggled}`))),
  },
  {
    rule: 'Transfer-Encoding without chunked as the last coding returns 400, because the end of the body is undefined',
    requests: fc
      .tuple(
        fc.constantFrom(
          'identity',
          'gzip',
          'chunked, gzip',
          'chunked, identity',
          'xchunked',
          'chunkedx',
          'chunk',
          '',
          'chunked;q=1',
          '"chunked"',
          'chunked chunked',
          'gzip chunked',
          'chun\tked',
          '\x0bchunked',
          'chunked\x00',
          'chunked,',
          'chunked, ',
          'c\xe8unked',
          'x',
          "'chunked'",
          'deflate',
          'chunked=1',
          '[chunked]',
          'chunked\t',
        ),
        word,
      )
      .map(([coding, name]) =>
        malformed(
          post([json, `X-Odd: ${name}`, `Transfer-Encoding: ${coding}`], `${chunk(rex)}${lastChunk}${smuggled}`),
        ),
      ),
  },
  {
    rule: 'a coding before chunked returns 501, and chunked applied twice 400',
    requests: fc.oneof(
      fc
        .tuple(
          fc.constantFrom(
            'gzip, chunked',
            'gzip,chunked',
            'identity, chunked',
            'deflate , chunked',
            'x, y, chunked',
            ',chunked',
            'br,\tchunked',
            'GZIP, Chunked',
          ),
          word,
        )
        .map(([coding, name]) =>
          rejected(
            post([json, `X-Odd: ${name}`, `Transfer-Encoding: ${coding}`], `${chunk(rex)}${lastChunk}`),
            '501 not_implemented',
          ),
        ),
      word.map((name) =>
        rejected(
          post([json, `X-Odd: ${name}`, 'Transfer-Encoding: gzip', chunkedCoding], `${chunk(rex)}${lastChunk}`),
          '501 not_implemented',
        ),
      ),
      fc
        .tuple(
          fc.constantFrom(
            'chunked, chunked',
            `chunked${crlf}Transfer-Encoding: chunked`,
            `chunked${crlf}Transfer-Encoding: identity`,
            `chunked${crlf}Transfer-Encoding:`,
          ),
          word,
        )
        .map(([coding, name]) =>
          malformed(post([json, `X-Odd: ${name}`, `Transfer-Encoding: ${coding}`], `${chunk(rex)}${lastChunk}`)),
        ),
    ),
  },
  {
    rule: 'a header that resembles Transfer-Encoding is ignored or returns 400',
    requests: fc.oneof(
      fc
        .tuple(
          fc.constantFrom(
            'Transfer_Encoding',
            'Transfer-Encodin',
            'X-Transfer-Encoding',
            'TransferEncoding',
            'Transfer-Encoding-',
            'Content_Length',
            'TE',
          ),
          word,
        )
        .map(([name, text]) => served('POST /v1/pets', create(rex, json, `${name}: chunked, ${text}`), '201')),
      fc
        .tuple(
          fc.constantFrom(
            'Transfer-Encoding ',
            'Transfer-Encoding\t',
            ' Transfer-Encoding',
            '\tTransfer-Encoding',
            'Transfer-Encoding\x00',
            'Transfer-Encoding\xa0',
            'X: y\nTransfer-Encoding',
            'X: y\rTransfer-Encoding',
            `X:${crlf} Transfer-Encoding`,
          ),
          word,
        )
        .map(([name, text]) =>
          malformed(post([json, `X-Odd: ${text}`, 'Content-Length: 29', `${name}: chunked`], rex)),
        ),
    ),
  },
  {
    rule: 'HTTP/1.0 does not support Transfer-Encoding',
    requests: fc
      .tuple(word, fc.boolean())
      .map(([name, keepsAlive]) =>
        malformed(
          message(
            [
              'POST /v1/pets HTTP/1.0',
              host,
              key,
              json,
              chunkedCoding,
              `X-Odd: ${name}`,
              ...(keepsAlive ? ['Connection: keep-alive'] : []),
            ],
            `${chunk(rex)}${lastChunk}`,
          ),
        ),
      ),
  },
];
