import fc from 'fast-check';
import {
  bodyBytesMax,
  bytes,
  create,
  digits,
  type Family,
  keyMark,
  type MalformedRequest,
  rex,
  served,
  textOf,
  utf8,
  word,
} from './malformed-request.js';

/** A creation with this body, which is shorter than a body may be. */
function created(body: string, ...responses: readonly string[]): MalformedRequest {
  return served('POST /v1/pets', create(body), ...responses);
}

const malformedJson = (body: string) => created(body, '400 malformed_json');
const invalid = (body: string) => created(body, '400 invalid_request');

export const bodies: readonly Family[] = [
  {
    rule: 'a body that is not JSON returns malformed_json',
    requests: fc.oneof(
      fc.integer({ min: 1, max: rex.length - 1 }).map((length) => malformedJson(rex.slice(0, length))),
      fc
        .tuple(
          fc.constantFrom(
            '{',
            '}',
            '[',
            ']',
            ',',
            ':',
            '"',
            "'",
            'x',
            '/',
            '//',
            '\\',
            '#',
            '(',
            '.',
            '-',
            '+1',
            '01',
            '1.',
            '.5',
            '1e',
            'NaN',
            'Infinity',
            'undefined',
            'True',
            '\x00',
            '\x0b',
            '\x0c',
          ),
          word,
        )
        .map(([text, name]) => malformedJson(`${text}{"name":"${name}","categoryId":7}${text}`)),
      fc
        .tuple(
          word,
          fc.constantFrom(
            '{"name":$,"categoryId":7}x',
            "{'name':'$'}",
            '{name:"$"}',
            '{"name":"$",}',
            '[1,]',
            '{"name":"$"/**/}',
            '{"name":"$\t"}',
            '{"name":"\\x41$"}',
            '{"name":"\\u00g0$"}',
            '{"a":1 "$":2}',
          ),
        )
        .map(([name, text]) => malformedJson(text.replace('$', name))),
    ),
  },
  {
    rule: 'a duplicate name, a lone surrogate and a byte order mark return malformed_json',
    requests: fc.oneof(
      fc
        .tuple(fc.constantFrom('name', 'categoryId', 'status', '__proto__', 'x'), word)
        .map(([name, value]) => malformedJson(`{"${name}":"${value}","${name}":7}`)),
      fc
        .tuple(word, fc.constantFrom('\\ud800', '\\udfff', '\\ud83d', '\\udc15\\ud83d', '\\uD800x'))
        .map(([name, half]) => malformedJson(`{"name":"${name}${half}","categoryId":7}`)),
      word.map((name) => malformedJson(utf8(`\ufeff{"name":"${name}","categoryId":7}`))),
      word.map((name) => malformedJson(Buffer.from(`{"name":"${name}","categoryId":7}`, 'utf16le').toString('latin1'))),
    ),
  },
  {
    rule: 'a body that is not UTF-8 returns malformed_json',
    requests: fc
      .tuple(
        word,
        fc.constantFrom(
          '\xff',
          '\xfe',
          '\xc0\xaf',
          '\xc1\x81',
          '\x80',
          '\xed\xa0\x80',
          '\xf4\x90\x80\x80',
          '\xe2\x82',
          '\xf8\x88\x80\x80\x80',
          '\xe9',
        ),
        word,
      )
      .map(([before, wrong, after]) => malformedJson(`{"name":"${before}${wrong}${after}","categoryId":7}`)),
  },
  {
    rule: 'deeply nested JSON returns malformed_json',
    requests: fc
      .tuple(fc.integer({ min: 65, max: 30_000 }), fc.constantFrom('[', '{"x":', '[{"x":'), fc.boolean())
      .map(([depth, open, isClosed]) => {
        const text = open.repeat(depth).slice(0, bodyBytesMax / 2);
        return malformedJson(`${text}${isClosed ? ']'.repeat(Math.min(depth, 20_000)) : ''}`);
      }),
  },
  {
    rule: 'numbers of any length are parsed, and none is rounded',
    requests: fc
      .tuple(
        textOf(digits, { minLength: 20, maxLength: 200 }),
        fc.constantFrom(
          '$',
          '-$',
          '$.0',
          '$e1',
          '0.$',
          '1e$',
          '-0.0',
          '1E400',
          '9223372036854775808',
          '-9223372036854775809',
        ),
        fc.integer({ min: 1, max: 100 }),
      )
      .map(([number, form, times]) =>
        invalid(`{"name":"Rex","categoryId":${form.replace('$', `1${number.repeat(times)}`)}}`),
      ),
  },
  {
    rule: 'other JSON values return invalid_request',
    requests: fc
      .jsonValue({ maxDepth: 4 })
      .map((value) => JSON.stringify(value))
      .map((text) => created(utf8(text), '400 invalid_request', '400 malformed_json')),
  },
  {
    rule: 'unknown fields are named, also those with names of JavaScript properties',
    requests: fc
      .tuple(
        fc.constantFrom(
          '__proto__',
          'constructor',
          'toString',
          'hasOwnProperty',
          'prototype',
          'id',
          'Name',
          'name ',
          '',
          keyMark,
          '\\u0000',
          '\\u202e',
          '$ref',
          'length',
        ),
        fc.constantFrom('1', '{"isAdmin":true}', '[]', 'null', '{"__proto__":{"x":1}}'),
        word,
      )
      .map(([name, value, pet]) => invalid(`{"name":"${pet}","categoryId":7,"${name}":${value}}`)),
  },
  {
    rule: 'a pet may have any name of valid characters',
    requests: fc
      .tuple(
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
        fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      )
      .map(([name, category]) =>
        created(
          utf8(`{"name":${JSON.stringify(`x${name}`)},"categoryId":${String(category)}}`),
          '201',
          '400 invalid_request',
        ),
      ),
  },
  {
    rule: 'random bytes return malformed_json or, rarely, invalid_request',
    requests: textOf(bytes(0, 0xff), { minLength: 1, maxLength: 80 }).map((body) =>
      created(body, '400 malformed_json', '400 invalid_request'),
    ),
  },
];
