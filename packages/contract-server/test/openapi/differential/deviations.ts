import { isDeepStrictEqual } from 'node:util';
import { parseInt64 } from '#src/json/int64.js';
import type { Result, Sent } from './both-backends.js';
import { plain } from './plain.js';

/** An intended difference: why, an example, and which requests it concerns. */
export type Deviation = readonly [reason: string, example: Sent, concerns: (sent: Sent) => boolean];

const get = (path: string, others: Partial<Sent> = {}): Sent => ({ method: 'GET', path, ...others });
const post = (body: unknown, headers: object = { 'content-type': 'application/json' }): Sent => ({
  ...{ method: 'POST', path: '/v1/toys' },
  ...{ body, headers },
});
/** Every text of a request that can be the value of a parameter. */
const textsOf = ({ path, query, headers }: Sent) =>
  [...path.split(/[/?&=]/), ...flatten(query), ...flatten(headers)].map((text) => decoded(text.replaceAll('+', ' ')));
const flatten = (values: unknown): string[] =>
  typeof values === 'string' ? values.split(/[?&=]/) : Object.values(values ?? {}).flatMap((value) => value as string);
const bodyOf = ({ body }: Sent) => (typeof body === 'string' ? body : '');
const decoded = (text: string) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};
const isJson = (text: string) => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};
const parsed = (body: unknown) => (typeof body === 'string' && isJson(body) ? (JSON.parse(body) as unknown) : body);
const isNumber = (text: string) => text !== '' && Number.isFinite(Number(text));
const isPlain = (text: string) => /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/.test(text);
const isWide = (value: unknown) => Math.abs(Number(value)) >= 2 ** 53;

// biome-ignore format: a row for each deviation
export const deviations: readonly Deviation[] = [
  ['path parameters have the type of their schema, and openapi-backend passes text',
    get('/v1/toys/7', { headers: { authorization: 'a' } }), ({ path }) => /\/toys\/[^/?]+/.test(path)],
  ['parameters of an invalid request have types and defaults too, and openapi-backend leaves their text',
    get('/v1/toys', { headers: { 'x-trace': 'five' } }), () => true],
  ['headers have the type of their schema, and openapi-backend passes text',
    get('/v1/toys', { headers: { 'x-trace': '5' } }), ({ headers }) => /x-trace/i.test(JSON.stringify(headers ?? {}))],
  ['numbers in parameters are plain decimals, and Ajv coerces 0x10, 1e1, 007, +5 and blanks',
    get('/v1/toys?limit=0x10'), (sent) => textsOf(sent).some((text) => isNumber(text) && !isPlain(text))],
  ['integers in parameters have no fraction, and Ajv coerces 1.0',
    get('/v1/toys?limit=1.0'), (sent) => textsOf(sent).some((text) => /\.0+$/.test(text))],
  ['2^63 − 1 is an int64, and Ajv rounds it up',
    get('/v1/toys/9223372036854775807', { headers: { authorization: 'a' } }), (sent) => textsOf(sent).some(isWide)],
  ['integers of a body that is passed as text are exact',
    post('{"name":"Ball","weight":9007199254740993}'), (sent) => (bodyOf(sent).match(/\d{16,}/g) ?? []).some(isWide)],
  ['an integer of a body that is passed as text has no fraction or exponent',
    post('{"name":"Ball","weight":1.0}'), (sent) => /\d[.eE]/.test(bodyOf(sent))],
  ['duplicate names in a body that is passed as text are rejected, because JSON parsers disagree on which one counts',
    post('{"name":"Ball","name":"Kite"}'), (sent) => /("\w+").*\1/.test(bodyOf(sent))],
  ['defaults are filled in in a body that is passed as text too',
    { method: 'PUT', path: '/v1/toys/1/parts/a', body: '{}' },
    ({ method, body }) => method === 'PUT' && typeof body === 'string' && !body.includes('isSold')],
  ['text that is not JSON is one error, and openapi-backend validates the text as well',
    post('{"name":'), ({ body }) => typeof body === 'string' && !isJson(body)],
  ['a body that is no object is validated, whatever its Content-Type',
    { method: 'PUT', path: '/v1/toys/1/parts/a', body: '5', headers: {} },
    ({ body }) => body !== undefined && typeof parsed(body) !== 'object'],
  ['an integer beyond 2^53 of a body that was parsed before is rejected, because it was rounded',
    post({ name: 'Ball', weight: 2 ** 53 }), ({ body }) => /\d{16,}/.test(JSON.stringify(body))],
  ['a query of null, as AWS Lambda passes it, is filled in with defaults',
    get('/v1/toys', { query: null }), ({ query }) => query === null],
];

/** The number of deviations that `comparable` removes from results; the others are explained by their requests. */
const removed = 3;

/** A result without the differences that many requests have: types in the path, in headers and in invalid requests. */
function comparable(result: unknown): unknown {
  const { handler, context } = result as Partial<Result>;
  const { request } = (context ?? {}) as { readonly request?: Values };
  if (request === undefined || handler === 'notFound') return plain(result);
  const { params, headers, query, cookies, ...others } = request;
  const parameters = {
    query,
    cookies,
    params: withIntegers(params, ['toyId']),
    headers: withIntegers(headers, ['x-trace']),
  };
  return plain({
    handler,
    context: { ...context, request: handler === 'validationFail' ? others : { ...others, ...parameters } },
  });
}

type Values = Readonly<Record<string, unknown>>;

function withIntegers(values: unknown, names: readonly string[]): object {
  return Object.fromEntries(
    Object.entries(values as Values).map(([name, value]) => [
      name,
      names.includes(name) ? (parseInt64(String(value)) ?? value) : value,
    ]),
  );
}

/** Whether two results are the same, or differ by an intended difference. */
export function isExplained(sent: Sent, accelerated: unknown, stock: unknown): boolean {
  const areSame = isDeepStrictEqual(comparable(accelerated), comparable(stock));
  return areSame || deviations.slice(removed).some(([, , concerns]) => concerns(sent));
}
