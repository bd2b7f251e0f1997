import { createToken } from '#src/api-keys/token.js';
import type { Answer } from '../support/conformance.js';
import { startOfTests } from '../support/service.js';
import {
  provoke,
  provokeAfter,
  provokeBusy,
  provokeInFlight,
  provokeLimited,
  provokeRaw,
  provokeTimeout,
  type SentRequest,
} from './example-requests.js';

/** Sends what the answer of an example answers. `valid` is a good request to the operation that shows the example. */
type Provocation = (valid: SentRequest) => Promise<Answer>;

const rex = '{"name":"Rex","categoryId":7}';
const mia = '{"name":"Mia","categoryId":-3,"status":"sold"}';
const post = (body: string): SentRequest => ({ method: 'POST', target: '/v1/pets', body });
const idempotencyKey = { 'Idempotency-Key': 'one' };
const withoutKey = { Authorization: '' };
const unknownKey = { Authorization: `Bearer ${createToken('pets_live_')}` };

/** A creation in so many chunks of one byte each. */
const inChunks = (count: number) =>
  'POST /v1/pets HTTP/1.1\r\nHost: pets.example\r\nAuthorization: Bearer <key>\r\nContent-Type: application/json\r\n' +
  `Transfer-Encoding: chunked\r\n\r\n${'1\r\n \r\n'.repeat(count)}0\r\n\r\n`;

/** A good request to each operation; `undefined` for what belongs to none. */
export const validRequests: Readonly<Record<string, SentRequest>> = {
  listPets: { target: '/v1/pets' },
  createPet: post(rex),
  getPet: { target: '/v1/pets/1' },
  listOrders: { target: '/v1/store/orders' },
  'no operation': { target: '/v1/nothing' },
};

/**
 * How each example of an answer comes about, by its name, or by operation and name where one name stands for two
 * answers.
 */
export const provocations: Readonly<Record<string, Provocation>> = {
  twoAnimals: () => provoke('three animals', { target: '/v1/pets?limit=2' }),
  nothingFound: () => provoke('two animals', { target: '/v1/pets?status=pending' }),
  limitOutOfRange: () => provoke('empty', { target: '/v1/pets?limit=101' }),
  unknownStatus: () => provoke('empty', { target: '/v1/pets?status=gone' }),
  tooManyParameters: () => provoke('empty', { target: `/v1/pets?${'limit=1&'.repeat(101)}` }),
  foreignCursor: () => provoke('empty', { target: '/v1/pets?cursor=MjphbGw' }),
  missingKey: (valid) => provoke('empty', { ...valid, headers: withoutKey }),
  invalidKey: (valid) => provoke('empty', { ...valid, headers: unknownKey }),
  minuteSpent: (valid) => provokeLimited({ minuteStartedAt: startOfTests, minuteUsed: 60 }, valid),
  daySpent: (valid) => provokeLimited({ dayStartedAt: startOfTests, dayUsed: 1000 }, valid),
  banned: (valid) => provokeLimited({ bans: 1, bannedAt: startOfTests, bannedUntil: startOfTests + 900_000 }, valid),
  internalError: (valid) => provoke('defective', valid),
  storeUnavailable: (valid) => provoke('unavailable', valid),
  serverBusy: (valid) => provokeBusy(post(rex), valid),
  'createPet dog': () => provoke('empty', post(rex)),
  soldCat: () => provoke('one animal', post(mia)),
  missingFields: () => provoke('empty', post('{}')),
  clientSentId: () => provoke('empty', post('{"id":1,"name":"Rex","categoryId":7}')),
  malformedJson: () => provoke('empty', post('{"name":"Rex",')),
  malformedIdempotencyKey: () => provoke('empty', { ...post(rex), headers: { 'Idempotency-Key': 'my key' } }),
  idempotencyKeyInFlight: () => provokeInFlight({ ...post(rex), headers: idempotencyKey }),
  idempotencyKeyReused: () =>
    provokeAfter({ ...post(rex), headers: idempotencyKey }, { ...post(mia), headers: idempotencyKey }),
  bodyTooLarge: () => provoke('empty', post(rex.padEnd(65_537, ' '))),
  formData: () =>
    provoke('empty', { ...post('name=Rex'), headers: { 'Content-Type': 'application/x-www-form-urlencoded' } }),
  'getPet dog': (valid) => provoke('two animals', valid),
  malformedId: () => provoke('empty', { target: '/v1/pets/Rex' }),
  unknownPet: () => provoke('empty', { target: '/v1/pets/42' }),
  removed: (valid) => provoke('removed', valid),
  unknownParameter: () => provoke('empty', { target: '/v1/store/orders?page=2' }),
  notImplemented: (valid) => provoke('empty', valid),
  malformedHttp: () => provokeRaw('GET /v1/pets HTTP/1.1\r\nHost pets.example\r\n\r\n'),
  missingHost: () => provokeRaw('GET /v1/pets HTTP/1.1\r\n\r\n'),
  tooManyChunks: () => provokeRaw(inChunks(2000)),
  uriTooLong: () => provokeRaw(`GET /v1/${'x'.repeat(8000)} HTTP/1.1\r\nHost: pets.example\r\n\r\n`),
  expectationFailed: () => provokeRaw('GET /v1/pets HTTP/1.1\r\nHost: pets.example\r\nExpect: the-best\r\n\r\n'),
  noTransferCoding: () =>
    provokeRaw('POST /v1/pets HTTP/1.1\r\nHost: pets.example\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n'),
  unknownMethod: () => provokeRaw('BREW /v1/pets HTTP/1.1\r\nHost: pets.example\r\n\r\n'),
  noTunnel: () => provokeRaw('CONNECT pets.example:443 HTTP/1.1\r\nHost: pets.example:443\r\n\r\n'),
  httpVersionNotSupported: () => provokeRaw('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  'listPets malformedUrl': () => provoke('empty', { target: '/v1/pets?status=100%' }),
  'getPet malformedUrl': () => provoke('empty', { target: '/v1/pets/100%' }),
  unknownPath: (valid) => provoke('empty', valid),
  methodNotAllowed: () => provoke('empty', { method: 'DELETE', target: '/v1/pets' }),
  requestTimeout: () => provokeTimeout('POST /v1/pets HTTP/1.1\r\nHost: pets.example\r\n'),
  headersTooLarge: () =>
    provokeRaw(`GET /v1/pets HTTP/1.1\r\nHost: pets.example\r\nX-Padding: ${'x'.repeat(20_000)}\r\n\r\n`),
};

/** How the example of each header comes about. */
export const headerProvocations: Readonly<Record<string, () => Promise<Answer>>> = {
  NextPageLink: () => provoke('three animals', { target: '/v1/pets?limit=2' }),
  Location: () => provoke('empty', post(rex)),
  'Idempotent-Replayed': () => {
    const creation = { ...post(rex), headers: idempotencyKey };
    return provokeAfter(creation, creation);
  },
  Deprecation: () => provoke('two animals', { target: '/v1/pets/1' }),
  Sunset: () => provoke('two animals', { target: '/v1/pets/1' }),
  DeprecationLinks: () => provoke('two animals', { target: '/v1/pets/1' }),
  'WWW-Authenticate': () => provoke('empty', { target: '/v1/pets', headers: withoutKey }),
  Accept: () => provoke('empty', { ...post(rex), headers: { 'Content-Type': 'text/plain' } }),
  'Accept-Encoding': () => provoke('empty', { ...post(rex), headers: { 'Content-Encoding': 'gzip' } }),
  'X-Request-Id': () => provoke('empty', { target: '/v1/pets', headers: { 'X-Request-Id': 'order-4711' } }),
  'X-RateLimit-Limit': () => provokeLimited({}, { target: '/v1/pets' }),
  'X-RateLimit-Remaining': () => provokeLimited({}, { target: '/v1/pets' }),
  'X-RateLimit-Reset': () => provokeLimited({}, { target: '/v1/pets' }),
  'RateLimit-Policy': () => provokeLimited({}, { target: '/v1/pets' }),
  RateLimit: () => provokeLimited({}, { target: '/v1/pets' }),
  'Retry-After': () => provoke('unavailable', { target: '/v1/pets' }),
};
