import fc from 'fast-check';
import {
  basePath,
  bodyExamplesOf,
  fullRequestTo,
  operations,
  validRequestTo,
} from '../../support/contract/contract-requests.js';
import type { SentRequest } from '../../support/contract/example-requests.js';
import type { TriedRequest } from './both-backends.js';

const methods = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD', 'TRACE', 'get'];
const integers = [
  '1',
  '20',
  '100',
  '0',
  '101',
  '-1',
  '-0',
  '007',
  '0x10',
  '1e1',
  '1.0',
  '+5',
  '%2B5',
  ' ',
  '%20',
  '5%20',
  '',
  'ten',
];
const wideIntegers = [
  '9007199254740991',
  '9007199254740992',
  '9007199254740993',
  '-9007199254740993',
  '9223372036854775807',
  '9223372036854775808',
  '-9223372036854775808',
  '-9223372036854775809',
  '18446744073709551616',
];
const ids = [...integers.map((text) => text.replace(' ', '%20')), ...wideIntegers];
const paths = [
  '/',
  '/v1',
  '/v1/',
  '/v1/pets',
  '/v1/pets/',
  '/v1/pets/1',
  '/v1/pets/1/',
  '/v1/pets/1/2',
  '/v1/pets/%31',
  '/v1/pets/%2F',
  '/v1/pets/%',
  '/v1/pets/%ff',
  '/v1/pets/abc',
  '/v1/pets/__proto__',
  '/v1/store/orders',
  '/v1/store',
  '/v1//pets',
  '//v1/pets',
  '/V1/pets',
  '/v1/Pets',
  '/v1x/pets',
  '/v1/p%65ts',
  '/pets',
];
const pairs = [
  ...integers.map((text) => `limit=${text.replace(' ', '+')}`),
  ...['sold', 'Sold', 's%6Fld', '', 'sold%20', 'available', '%00'].map((status) => `status=${status}`),
  ...['x', '', 'a=b', 'a]=b', 'a?b', '%zz', '%', '%C3%A9', '+', 'x'.repeat(200), 'x'.repeat(201)].map(
    (cursor) => `cursor=${cursor}`,
  ),
  ...[
    '',
    'limit',
    '=',
    '=1',
    'page=1',
    'limit[]=5',
    '[limit]=5',
    'limit[a]=5',
    '%6Cimit=5',
    'Limit=5',
    'a.b=c',
    '%5Blimit%5D=5',
  ],
  ...['constructor=1', '__proto__=1', '__proto__[limit]=5', 'toString', '?limit=5'],
];
const values = [
  ...[
    ...integers.filter((text) => /^[^%+ t0]+|^0$/.test(text) && text !== ''),
    ...wideIntegers,
    '-0',
    '1E2',
    '0.5',
    '1e400',
  ],
  ...[
    '"Rex"',
    '""',
    '" "',
    '" Rex"',
    '"\\u00a0"',
    '"\\u0000"',
    '"\\ud83d"',
    '"\\ud83d\\udc15"',
    '"🐕"',
    '"R\\u00e9x"',
    '"\\x"',
  ],
  ...[`"${'R'.repeat(255)}"`, `"${'R'.repeat(256)}"`, `"${'🐕'.repeat(255)}"`, `"${'🐕'.repeat(256)}"`],
  ...['"sold"', '"gone"', 'null', 'true', 'false', '[]', '{}', '["sold"]', '{"a":1}', '[[]]', 'x', ''],
];
const names = ['name', 'categoryId', 'status', 'id', '__proto__', 'constructor', '', 'Name'];
const wholeBodies = [
  '',
  ' ',
  'null',
  '1',
  '"x"',
  '[]',
  '{}',
  '[{"name":"Rex","categoryId":7}]',
  '{"name":"Rex","categoryId":7',
  '{"name":"Rex","categoryId":7}x',
  JSON.stringify('{"name":"Rex","categoryId":7}'),
  JSON.stringify('Rex'),
];

const idempotencyKeys = [
  ...[
    'one',
    '"one"',
    '"o\\"n\\\\e"',
    'o"ne',
    '!',
    '~',
    ',',
    '',
    ' ',
    '"',
    '""',
    '"one',
    '"on"e"',
    '"o\\ne"',
    '"one";a=1',
  ],
  ...['o ne', 'one, two', '"o ne"', 'öne', 'o\tne', 'o\x7fne', 'o\0ne'],
  ...[255, 256].flatMap((length) => ['k'.repeat(length), `"${'k'.repeat(length)}"`, `"${'\\"'.repeat(length)}"`]),
];

const good = '{"name":"Rex","categoryId":7}';

/** Valid requests to every operation of the contract, with every example of its parameters and its body. */
const validRequests = operations.flatMap((entry) => {
  const valid = validRequestTo(entry);
  const bodies = Object.values(bodyExamplesOf(entry)).map((value) => ({ ...valid, body: JSON.stringify(value) }));
  return [valid, fullRequestTo(entry), ...bodies].map(tried);
});

function tried({ method = '', target, headers = {}, body }: SentRequest): TriedRequest {
  const { 'Idempotency-Key': idempotencyKey } = headers;
  return {
    method,
    target,
    ...(body !== undefined && { body }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  };
}

/** Valid and invalid requests, each with one special feature. */
export const corpus: readonly TriedRequest[] = [
  ...validRequests,
  ...methods.flatMap((method) => paths.map((target) => ({ method, target }))),
  ...methods.flatMap((method) => paths.map((target) => ({ method, target, anonymous: true }))),
  ...pairs.map((pair) => ({ method: 'GET', target: `/v1/pets?${pair}` })),
  ...pairs.map((pair) => ({ method: 'GET', target: `/v1/pets?${pair}&${pair}` })),
  ...pairs.map((pair) => ({ method: 'GET', target: `/v1/pets/1?${pair}` })),
  ...ids.map((id) => ({ method: 'GET', target: `/v1/pets/${id}` })),
  ...wholeBodies.map((body) => ({ method: 'POST', target: '/v1/pets', body })),
  ...values.flatMap((value) =>
    ['name', 'categoryId', 'status', 'id'].map((name) => ({
      method: 'POST',
      target: '/v1/pets',
      body: `{${['name":"Rex"', 'categoryId":7', 'status":"sold"']
        .filter((member) => !member.startsWith(`${name}"`))
        .map((member) => `"${member}`)
        .concat(`"${name}":${value}`)
        .join(',')}}`,
    })),
  ),
  ...idempotencyKeys.map((idempotencyKey) => ({ method: 'POST', target: '/v1/pets', body: good, idempotencyKey })),
  ...idempotencyKeys.map((idempotencyKey) => ({ method: 'GET', target: '/v1/pets', idempotencyKey })),
  { method: 'POST', target: '/v1/pets' },
  { method: 'POST', target: '/v1/pets?page=1', body: good },
  { method: 'POST', target: '/v1/pets', body: good, anonymous: true },
  { method: 'POST', target: '/v1/pets/1', body: good },
  { method: 'GET', target: '/v1/pets', body: good },
];

const query = fc.array(fc.constantFrom(...pairs), { maxLength: 4 }).map((chosen) => chosen.join('&'));
const member = fc
  .tuple(fc.constantFrom(...names), fc.constantFrom(...values))
  .map(([name, value]) => `"${name}":${value}`);
const goodMember = fc.constantFrom('"name":"Rex"', '"categoryId":7', '"status":"sold"');
const object = fc
  .array(fc.oneof({ weight: 2, arbitrary: goodMember }, { weight: 1, arbitrary: member }), { maxLength: 5 })
  .map((members) => `{${members.join(', ')}}`);
const body = fc.oneof(
  { weight: 8, arbitrary: object },
  { weight: 1, arbitrary: fc.constantFrom(...wholeBodies) },
  { weight: 1, arbitrary: fc.json() },
);
const path = fc.oneof(
  { weight: 3, arbitrary: fc.constant('/v1/pets') },
  { weight: 3, arbitrary: fc.constantFrom(...ids).map((id) => `/v1/pets/${id}`) },
  { weight: 2, arbitrary: fc.constantFrom(...paths) },
);

/** Requests that combine several of these features. */
export const anyRequest: fc.Arbitrary<TriedRequest> = fc
  .record({
    method: fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(...new Set(operations.map(({ method }) => method.toUpperCase()))) },
      { weight: 1, arbitrary: fc.constantFrom(...methods) },
    ),
    path,
    query: fc.option(query, { nil: undefined }),
    body: fc.option(body, { nil: undefined, freq: 3 }),
    idempotencyKey: fc.option(fc.constantFrom(...idempotencyKeys), { nil: undefined, freq: 3 }),
    anonymous: fc.integer({ min: 0, max: 9 }).map((number) => number === 0),
  })
  .map((parts) => ({
    method: parts.method,
    target: parts.query === undefined ? parts.path : `${parts.path}?${parts.query}`,
    ...(parts.body !== undefined && takesBody(parts) ? { body: parts.body } : {}),
    ...(parts.idempotencyKey === undefined ? {} : { idempotencyKey: parts.idempotencyKey }),
    ...(parts.anonymous ? { anonymous: true } : {}),
  }));

const withBody = operations
  .filter(({ operation }) => operation.requestBody !== undefined)
  .map(({ method, path }) => ({
    method: method.toUpperCase(),
    path: new RegExp(`^${basePath}${path.replaceAll(/\{[^{}]+\}/g, '[^/]+')}$`),
  }));

/**
 * The server reads a body only if the operation has one and the client is authorized; otherwise the body does not
 * matter.
 */
function takesBody(parts: { method: string; path: string; anonymous: boolean }): boolean {
  return !parts.anonymous && withBody.some(({ method, path }) => method === parts.method && path.test(parts.path));
}
