import { ApiError } from '#src/index.js';
import {
  caller,
  contractOf,
  form,
  get,
  integer,
  json,
  keyContract,
  keyHandler,
  oauth,
  object,
  one,
  parameter,
  type Row,
  schemaAt,
  text,
  withBody,
  wrong,
} from './named-contracts.js';

/** What is served under a name, and requests with what the handler receives, or the message of an error. */
export const places: Readonly<Record<string, (name: string) => Row>> = {
  'a field': (name) => ({
    contract: withBody(object(one(name, integer))),
    sent: [
      [json(one(name, 1)), 200, { body: one(name, 1) }],
      [json({}), 200, { body: {} }],
      [json(one(name, 'x')), 400, wrong],
    ],
  }),
  'a required field': (name) => ({
    contract: withBody(object(one(name, integer), name)),
    sent: [
      [json(one(name, 1)), 200, { body: one(name, 1) }],
      [json({}), 400, /^Missing body field/],
    ],
  }),
  'a field with a default': (name) => ({
    contract: withBody(object(one(name, { ...integer, default: 5 }))),
    sent: [[json({}), 200, { body: one(name, 5) }]],
  }),
  'an undeclared field': (name) => ({
    contract: withBody(object({ a: integer })),
    sent: [[json(one(name, 1)), 400, /^Unknown body field/]],
  }),
  'an undeclared field beside evaluated ones': (name) => ({
    contract: withBody({ anyOf: [{ properties: { a: integer } }, { required: ['b'] }], unevaluatedProperties: false }),
    sent: [
      [json({ a: 1 }), 200, { body: { a: 1 } }],
      [json({ a: 1, ...one(name, 1) }), 400, /^Unknown body field/],
    ],
  }),
  'a field of an open object': (name) => ({
    contract: withBody({ type: 'object' }),
    sent: [[json({ a: one(name, { b: 1 }) }), 200, { body: { a: one(name, { b: 1 }) } }]],
  }),
  'a field that depends on others': (name) => ({
    contract: withBody({ type: 'object', dependentRequired: { a: [name] } }),
    sent: [
      [json({ a: 1 }), 400, /^Missing body field/],
      [json({ a: 1, ...one(name, 1) }), 200, { body: { a: 1, ...one(name, 1) } }],
    ],
  }),
  'a schema': (name) => ({
    contract: withBody(schemaAt(name), undefined, { components: { schemas: one(name, object({ a: integer })) } }),
    sent: [
      [json({ a: 1 }), 200, { body: { a: 1 } }],
      [json({ a: 'x' }), 400, wrong],
    ],
  }),
  'a component of parameters': (name) => ({
    contract: contractOf(
      { parameters: [{ $ref: `#/components/parameters/${name}` }] },
      { components: { parameters: one(name, { name: 'q', in: 'query', schema: integer }) } },
    ),
    sent: [
      [get('/items?q=1'), 200, { query: { q: 1 } }],
      [get('/items?q=x'), 400, wrong],
    ],
  }),
  'a query parameter': (name) => ({
    contract: parameter(name, 'query'),
    sent: [
      [get(`/items?${name}=1`), 200, { query: one(name, 1) }],
      [get('/items'), 200, { query: {} }],
      [get(`/items?${name}=x`), 400, wrong],
    ],
  }),
  'a required query parameter': (name) => ({
    contract: parameter(name, 'query', { required: true }),
    sent: [[get('/items'), 400, /^Missing query parameter/]],
  }),
  'an undeclared query parameter': (name) => ({
    contract: parameter('a', 'query'),
    sent: [[get(`/items?${name}=1`), 400, /^Unknown query parameter/]],
  }),
  'a field of an object in the query': (name) => ({
    contract: parameter('f', 'query', { schema: object(one(name, integer)) }),
    sent: [
      [get(`/items?${name}=1`), 200, { query: { f: one(name, 1) } }],
      [get(`/items?${name}=x`), 400, wrong],
    ],
  }),
  'a path parameter': (name) => ({
    contract: contractOf(
      { parameters: [{ name, in: 'path', required: true, schema: integer }] },
      {},
      `/items/{${name}}`,
    ),
    sent: [
      [get('/items/1'), 200, { path: one(name, 1) }],
      [get('/items/x'), 400, wrong],
    ],
  }),
  'a parameter in a part of a path': (name) => ({
    contract: contractOf(
      { parameters: [{ name, in: 'path', required: true, schema: integer }] },
      {},
      `/items/{${name}}.json`,
    ),
    sent: [[get('/items/1.json'), 200, { path: one(name, 1) }]],
  }),
  'a path segment': (name) => ({
    contract: contractOf({}, {}, `/${name}/a`),
    sent: [[get(`/${name}/a`), 200, {}]],
  }),
  'a cookie': (name) => ({
    contract: parameter(name, 'cookie'),
    sent: [
      [(agent) => agent.post('/items').set('Cookie', `${name}=1`), 200, { cookie: one(name, 1) }],
      [(agent) => agent.post('/items').set('Cookie', `${name}=x`), 400, wrong],
      [get('/items'), 200, { cookie: {} }],
    ],
  }),
  'a form field': (name) => ({
    contract: withBody(object(one(name, integer), name), 'application/x-www-form-urlencoded'),
    sent: [
      [form(`${name}=1`), 200, { body: one(name, 1) }],
      [form(`${name}=x`), 400, wrong],
      [form('a=1'), 400, /^Missing body field/],
    ],
  }),
  'a multipart field': (name) => ({
    contract: withBody(object(one(name, integer), name), 'multipart/form-data'),
    sent: [
      [(agent) => agent.post('/items').field(name, '1'), 200, { body: one(name, 1) }],
      [(agent) => agent.post('/items').field(name, 'x'), 400, wrong],
    ],
  }),
  'a value of a discriminator': (name) => ({
    contract: withBody(
      { oneOf: [schemaAt('A'), schemaAt('B')], discriminator: { propertyName: 'kind', mapping: one(name, 'A') } },
      undefined,
      {
        components: {
          schemas: {
            A: object({ kind: text, a: integer }, 'kind', 'a'),
            B: object({ kind: text, b: text }, 'kind', 'b'),
          },
        },
      },
    ),
    sent: [
      [json({ kind: name, a: 1 }), 200, { body: { kind: name, a: 1 } }],
      [json({ kind: name, a: 'x' }), 400, wrong],
    ],
  }),
  'an operationId': (name) => ({
    contract: contractOf({ operationId: name }),
    sent: [[get('/items'), 200, {}]],
    id: name,
  }),
  'a tag': (name) => ({
    contract: contractOf({ tags: [name] }, { tags: [{ name }] }),
    sent: [[get('/items'), 200, {}]],
  }),
  'a security scheme': (name) => ({
    contract: contractOf(
      { security: [one(name, [])] },
      { components: { securitySchemes: one(name, { type: 'http', scheme: 'bearer' }) } },
    ),
    options: {
      security: one(name, (token: string) => Promise.resolve(token === 'right' ? caller : undefined)),
    } as object,
    sent: [
      [get('/items'), 401, /./],
      [(agent) => agent.post('/items').set('Authorization', 'Bearer wrong'), 401, /./],
      [(agent) => agent.post('/items').set('Authorization', 'Bearer right'), 200, {}],
    ],
  }),
  'a cookie with an API key': (name) => ({
    contract: keyContract('cookie', name),
    ...keyHandler,
    sent: [
      [get('/items'), 401, /./],
      [(agent) => agent.post('/items').set('Cookie', `${name}=right`), 200, {}],
    ],
  }),
  'a scope': (name) => ({
    contract: contractOf({}, { components: { securitySchemes: { a: oauth(name) } } }),
    sent: [[get('/items'), 200, {}]],
  }),
  'an error code': (name) => ({
    contract: contractOf({}, { 'x-error-codes': one(name, { status: 409, cause: 'A test.' }) }),
    options: { handlers: { echo: () => Promise.reject(new ApiError(name as never, 'In use.')) } },
    sent: [[get('/items'), 409, /^In use\./]],
  }),
  'a plan': (name) => ({
    contract: contractOf(
      {},
      {
        'x-rate-limit-plans': one(name, { requestsPerMinute: 5, requestsPerDay: 50 }),
        'x-rate-limit-address-plan': name,
      },
    ),
    sent: [[get('/items'), 200, {}]],
  }),
  'a header': (name) => ({
    contract: parameter(name, 'header'),
    sent: [
      [(agent) => agent.post('/items').set(name, '1'), 200, { header: one(name.toLowerCase(), 1) }],
      [(agent) => agent.post('/items').set(name, 'x'), 400, wrong],
      [get('/items'), 200, { header: {} }],
    ],
  }),
  'a header with an API key': (name) => ({
    contract: keyContract('header', name),
    ...keyHandler,
    sent: [
      [get('/items'), 401, /./],
      [(agent) => agent.post('/items').set(name, 'right'), 200, {}],
    ],
  }),
};

const unsupported = (name: string) => `The name \`${name}\` is not supported here.`;
const code = '`x-error-codes` must match pattern "^[a-z][a-z0-9_]*$".';
const header = 'has a name that Node.js does not read; use another one.';

/** The names that are refused at a place, and the sentence. */
export const refused: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'a scope': { valueOf: unsupported('valueOf'), hasOwnProperty: unsupported('hasOwnProperty') },
  'a plan': { valueOf: unsupported('valueOf'), hasOwnProperty: unsupported('hasOwnProperty') },
  'an error code': {
    valueOf: unsupported('valueOf'),
    hasOwnProperty: unsupported('hasOwnProperty'),
    toString: code,
    ['__proto__']: code,
  },
  'a header': { ['__proto__']: `echo: The header parameter __proto__ ${header}` },
  'a header with an API key': { ['__proto__']: `The header __proto__ ${header}` },
};
