import { parseInt64 } from '#src/json/int64.js';

import { bodyOf, type Deviation, get, numbersOf, parameterOf, post } from './deviation.js';

const integers: readonly Deviation[] = [
  {
    name: 'plain decimal integers',
    reason:
      'Parameters are decimal digits with at most a minus sign. Ajv coerces 0x10, 1e1, 1.0, 007, +5 and blanks ' +
      'around a number.',
    example: get('/v1/pets?limit=0x10'),
    concerns: (request) =>
      numbersOf(request).some((text) => parseInt64(text) === undefined && Number.isInteger(Number(text))),
    ours: 'invalid',
    theirs: 'handled',
  },
  {
    name: 'exact int64, at its upper end',
    reason: 'Ajv checks a double: 2^63 − 1 rounds up to 2^63 and is rejected, although it is an int64.',
    example: post('{"name":"Rex","categoryId":9223372036854775807}'),
    concerns: (request) => numbersOf(request).some((text) => typeof parseInt64(text) === 'bigint'),
    ours: 'handled',
    theirs: 'invalid',
  },
  {
    name: 'exact int64, beyond 2^53',
    reason: 'JSON.parse rounds 9007199254740993 to 9007199254740992.',
    example: post('{"name":"Rex","categoryId":9007199254740993}'),
    concerns: (request) => numbersOf({ ...request, target: '' }).some((text) => typeof parseInt64(text) === 'bigint'),
    ours: 'handled',
    theirs: 'handled',
  },
  {
    name: 'exact int64, at its lower end',
    reason: 'Ajv checks a double: −2^63 − 1 rounds up to −2^63 and is accepted, although it is not an int64.',
    example: get('/v1/pets/-9223372036854775809'),
    concerns: (request) =>
      numbersOf(request).some((text) => /^-[0-9]{19}$/.test(text) && parseInt64(text) === undefined),
    ours: 'invalid',
    theirs: 'handled',
  },
  {
    name: 'zero has no sign',
    reason: 'JSON.parse makes a minus zero of -0, which JSON cannot write.',
    example: post('{"name":"Rex","categoryId":-0}'),
    concerns: (request) => bodyOf(request).includes('-0'),
    ours: 'handled',
    theirs: 'handled',
  },
];

const bodies: readonly Deviation[] = [
  {
    name: 'no fractions and exponents',
    reason:
      'An integer with a fraction or an exponent is rejected rather than rounded. For JSON.parse 1.0 and 1e0 are ' +
      'the integer 1.',
    example: post('{"name":"Rex","categoryId":1.0}'),
    concerns: (request) => /[0-9][.eE][0-9+-]/.test(bodyOf(request)),
    ours: 'invalid',
    theirs: 'handled',
  },
  {
    name: 'duplicate names',
    reason: 'JSON parsers disagree on which one counts, so they are rejected. JSON.parse takes the last.',
    example: post('{"name":"Rex","name":"Mia","categoryId":7}'),
    concerns: (request) =>
      ['"name"', '"categoryId"', '"status"'].some((name) => bodyOf(request).split(name).length > 2),
    ours: 'invalid',
    theirs: 'handled',
  },
  {
    name: 'lone surrogates',
    reason: 'They are not characters and cannot be stored. JSON.parse accepts them.',
    example: post('{"name":"\\ud83d","categoryId":7}'),
    concerns: (request) => /\\ud[89a-f]/i.test(bodyOf(request)),
    ours: 'invalid',
    theirs: 'handled',
  },
  {
    name: 'invisible characters beyond U+FFFF',
    reason:
      'A name of only such characters is invalid (x-invisible). A pattern cannot express that: the OpenAPI schema ' +
      'reads it without Unicode mode.',
    example: post('{"name":"\u{e0041}","categoryId":7}'),
    concerns: (request) =>
      /[\u{1bca0}-\u{1bca3}\u{1d159}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/u.test(bodyOf(request)),
    ours: 'invalid',
    theirs: 'handled',
  },
  {
    name: 'bytes that are not UTF-8',
    reason: 'They are rejected. A decoder would replace them, which changes the name.',
    example: post(Buffer.from('{"name":"Zo\xeb","categoryId":7}', 'latin1')),
    concerns: (request) => bodyOf(request).includes('\ufffd'),
    ours: 'invalid',
    theirs: 'handled',
  },
];

const headers: readonly Deviation[] = [
  {
    name: 'undeclared headers',
    reason: 'A handler receives only the headers that its operation declares. openapi-backend passes every header.',
    example: { ...post('{"name":"Rex","categoryId":7}'), idempotencyKey: 'one' },
    concerns: () => true,
    reconcile: (theirs) => ({
      ...theirs,
      header: Object.fromEntries(
        Object.entries(theirs.header).filter(([name]) => parameterOf(theirs.id, 'header', name) !== undefined),
      ),
    }),
  },
];

/** Intended differences for integers, bodies and headers. */
export const valueDeviations: readonly Deviation[] = [...integers, ...bodies, ...headers];
