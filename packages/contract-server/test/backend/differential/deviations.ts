import { parseInt64 } from '@contract-server/core/json/int64.js';
import type { BackendResult, TriedRequest } from './both-backends.js';

/** An intended difference from openapi-backend: why, an example, which requests it can affect, and the two results. */
export type Deviation = readonly [
  reason: string,
  example: TriedRequest,
  concerns: (request: TriedRequest) => boolean,
  ours: BackendResult['kind'] | 'any',
  stock: BackendResult['kind'] | 'any',
];

const get = (target: string): TriedRequest => ({ method: 'GET', target });
const post = (body: string | Buffer): TriedRequest => ({ method: 'POST', target: '/v1/toys', body });
const pathOf = ({ target }: TriedRequest) => target.split('?', 1)[0] ?? '';
const queryOf = ({ target }: TriedRequest) => target.split('?').slice(1).join('?');
const bodyOf = ({ body = '' }: TriedRequest) => body.toString();
const decoded = (text: string) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
};
const pairsOf = (request: TriedRequest) => queryOf(request).split('&').filter(Boolean);
const namesOf = (request: TriedRequest) => pairsOf(request).map((pair) => decoded(pair.split('=', 1)[0] ?? '') ?? '');
/** The texts in place of integers: in the path, in the query, and in the body. */
const numbersOf = (request: TriedRequest) => [
  decoded(pathOf(request).split('/').at(-1) ?? '') ?? '',
  ...pairsOf(request).map((pair) => decoded(pair.slice(pair.indexOf('=') + 1).replaceAll('+', ' ')) ?? ''),
  ...(bodyOf(request).match(/-?[0-9][0-9.eE+-]*/g) ?? []),
];
const isWide = (text: string) => typeof parseInt64(text) === 'bigint';
const isTooLow = (text: string) => /^-[0-9]{19}$/.test(text) && parseInt64(text) === undefined;
const isOtherInteger = (text: string) => parseInt64(text) === undefined && Number.isInteger(Number(text));

// biome-ignore format: a row for each deviation
export const deviations: readonly Deviation[] = [
  ['HEAD is supported wherever GET is (RFC 9110)',
    { method: 'HEAD', target: '/v1/toys' }, ({ method }) => method === 'HEAD', 'any', 'unknown method'],
  ['methods are case-sensitive (RFC 9110, section 9.1)',
    { method: 'get', target: '/v1/toys' }, ({ method }) => method !== method.toUpperCase(), 'unknown method', 'any'],
  ['a trailing slash makes another path',
    get('/v1/toys/'), (request) => pathOf(request).endsWith('/'), 'unknown path', 'any'],
  ['an invalid percent escape in the path returns 400, and stock throws a URIError',
    get('/v1/toys/%zz'), (request) => decoded(pathOf(request)) === undefined, 'any', 'thrown'],
  ['an invalid percent escape in the query returns 400',
    get('/v1/toys?cursor=%zz'), (request) => decoded(queryOf(request)) === undefined, 'invalid', 'handled'],
  ['a query may contain question marks (RFC 3986, section 3.4)',
    get('/v1/toys?cursor=a?b'), (request) => queryOf(request).includes('?'), 'any', 'any'],
  ['square brackets in a query are plain characters, and stock makes objects of them',
    get('/v1/toys?[limit]=5'), (request) => /[[\]]|%5[bd]/i.test(queryOf(request)), 'any', 'any'],
  ['query parameters named like properties of Object.prototype are unknown, and stock drops them',
    get('/v1/toys?constructor=1'), (request) => namesOf(request).some((name) => name in {}), 'invalid', 'handled'],
  ['a query parameter without a name is unknown, and stock drops it',
    get('/v1/toys?=1'), (request) => namesOf(request).includes(''), 'invalid', 'handled'],
  ['integers in parameters are plain decimals, and Ajv coerces 0x10, 1e1, 1.0, 007, +5 and blanks',
    get('/v1/toys?limit=0x10'), (request) => numbersOf(request).some(isOtherInteger), 'invalid', 'handled'],
  ['2^63 − 1 is an int64, and Ajv rounds it up',
    post('{"name":"Block","weight":9223372036854775807}'), (request) => numbersOf(request).some(isWide),
    'handled', 'any'],
  ['−2^63 − 1 is not an int64, and Ajv rounds it down',
    get('/v1/toys/-9223372036854775809'), (request) => numbersOf(request).some(isTooLow), 'invalid', 'handled'],
  ['zero has no sign',
    post('{"name":"Block","weight":-0}'), (request) => bodyOf(request).includes('-0'), 'handled', 'handled'],
  ['an integer with a fraction or an exponent is rejected',
    post('{"name":"Block","weight":1.0}'), (request) => /[0-9][.eE][0-9+-]/.test(bodyOf(request)),
    'invalid', 'handled'],
  ['duplicate names are rejected, because JSON parsers disagree on which one counts',
    post('{"name":"Block","name":"Kite","weight":7}'), (request) => /("\w+").*\1/.test(bodyOf(request)),
    'invalid', 'handled'],
  ['lone surrogates are not characters and cannot be stored',
    post('{"name":"\\ud83d","weight":7}'), (request) => /\\ud[89a-f]/i.test(bodyOf(request)), 'invalid', 'handled'],
  ['bytes that are not UTF-8 are rejected, and a decoder would replace them',
    post(Buffer.from('{"name":"Bl\xf6ck","weight":7}', 'latin1')), (request) => bodyOf(request).includes('\ufffd'),
    'invalid', 'handled'],
];

/** The values that our handler must receive: integers in the path, and only the headers that the operation declares. */
export function reconciled(result: BackendResult): BackendResult {
  if (result.kind !== 'handled') return result;
  const path = Object.fromEntries(
    Object.entries(result.path).map(([name, text]) => [name, parseInt64(String(text)) ?? text]),
  );
  const { 'idempotency-key': key } = result.header;
  const isDeclared = result.id === 'createToy' && key !== undefined;
  return { ...result, path, header: isDeclared ? { 'idempotency-key': key } : {} };
}
