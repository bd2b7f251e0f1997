import { createToken } from '#src/api-keys/token.js';
import { startOfTests } from '../servers/service.js';
import type { ReceivedResponse } from './conformance.js';
import { unknownMethod } from './contract-requests.js';
import {
  type SentRequest,
  sendAfter,
  sendBytes,
  sendIncomplete,
  sendInState,
  sendRepeatedly,
  sendTwice,
  sendWhileBusy,
  sendWithUsage,
} from './example-requests.js';

/** Sends a request that returns an example. `valid` is a valid request to the operation of the example. */
type ExampleRequest = (valid: SentRequest) => Promise<ReceivedResponse>;

const rex = '{"name":"Rex","categoryId":7}';
const mia = '{"name":"Mia","categoryId":-3,"status":"sold"}';
const post = (body: string): SentRequest => ({ method: 'POST', target: '/v1/pets', body });
const idempotencyKey = { 'Idempotency-Key': 'one' };
const withoutKey = { Authorization: '' };
const unknownKey = { Authorization: `Bearer ${createToken('pets_live_')}` };

/** A POST request whose body has this number of chunks. */
const inChunks = (count: number) =>
  'POST /v1/pets HTTP/1.1\r\nHost: pets.example\r\nAuthorization: Bearer <key>\r\nContent-Type: application/json\r\n' +
  `Transfer-Encoding: chunked\r\n\r\n${'1\r\n \r\n'.repeat(count)}0\r\n\r\n`;

/** A valid request with another id in its path, or with more in its query. */
const withId = (valid: SentRequest, id: string): SentRequest => ({
  ...valid,
  target: valid.target.replace('/pets/1', `/pets/${id}`),
});
const withQuery = (valid: SentRequest, query: string): SentRequest => ({
  ...valid,
  target: `${valid.target}${valid.target.includes('?') ? '&' : '?'}${query}`,
});

/** Sets the remaining seconds of a window, which depend on the speed of the machine, to 60. */
function withFullMinute({ status, headers, text }: ReceivedResponse): ReceivedResponse {
  const { 'retry-after': seconds = '', ratelimit = '' } = headers;
  return {
    status,
    headers: { ...headers, 'retry-after': '60', ratelimit: ratelimit.replace(`t=${seconds}`, 't=60') },
    text: text.replace(`after ${seconds} s`, 'after 60 s'),
  };
}

/**
 * The request for each response example, by its name, or by place and name if two examples have the same name. An
 * example of success without a request here is the response to a valid request when there are two pets.
 */
export const requestsByExample: Readonly<Record<string, ExampleRequest>> = {
  'listPets twoPets': () => sendInState('three pets', { target: '/v1/pets?limit=2' }),
  'listPets emptyPage': () => sendInState('two pets', { target: '/v1/pets?status=pending' }),
  limitOutOfRange: () => sendInState('empty', { target: '/v1/pets?limit=101' }),
  unknownStatus: () => sendInState('empty', { target: '/v1/pets?status=gone' }),
  tooManyParameters: (valid) => sendInState('empty', withQuery(valid, 'limit=1&'.repeat(101))),
  invalidCursor: () => sendInState('empty', { target: '/v1/pets?cursor=MjphbGw' }),
  missingApiKey: (valid) => sendInState('empty', { ...valid, headers: withoutKey }),
  invalidApiKey: (valid) => sendInState('empty', { ...valid, headers: unknownKey }),
  minuteQuotaExceeded: (valid) => sendWithUsage({ minuteStartedAt: startOfTests, minuteUsed: 60 }, valid),
  dailyQuotaExceeded: (valid) => sendWithUsage({ dayStartedAt: startOfTests, dayUsed: 1000 }, valid),
  apiKeyBanned: (valid) =>
    sendWithUsage({ bans: 1, bannedAt: startOfTests, bannedUntil: startOfTests + 900_000 }, valid),
  internalError: (valid) => sendInState('defective', valid),
  storeUnavailable: (valid) => sendInState('unavailable', valid),
  serverBusy: (valid) => sendWhileBusy(post(rex), valid),
  'createPet dog': () => sendInState('empty', post(rex)),
  'createPet soldCat': () => sendInState('one pet', post(mia)),
  missingFields: () => sendInState('empty', post('{}')),
  clientSentId: () => sendInState('empty', post('{"id":1,"name":"Rex","categoryId":7}')),
  malformedJson: (valid) => sendInState('empty', { ...valid, body: '{"name":"Rex",' }),
  invalidIdempotencyKey: () => sendInState('empty', { ...post(rex), headers: { 'Idempotency-Key': 'my key' } }),
  idempotencyKeyInFlight: () => sendTwice({ ...post(rex), headers: idempotencyKey }),
  idempotencyKeyReused: () =>
    sendAfter({ ...post(rex), headers: idempotencyKey }, { ...post(mia), headers: idempotencyKey }),
  bodyTooLarge: (valid) => sendInState('empty', { ...valid, body: ' '.repeat(65_537) }),
  unsupportedMediaType: (valid) =>
    sendInState('empty', {
      ...valid,
      body: 'name=Rex',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    }),
  invalidPetId: (valid) => sendInState('empty', withId(valid, 'Rex')),
  petNotFound: (valid) => sendInState('empty', withId(valid, '42')),
  operationRemoved: (valid) => sendInState('removed', valid),
  unknownParameter: (valid) => sendInState('empty', withQuery(valid, 'page=2')),
  operationNotImplemented: (valid) => sendInState('empty', valid),
  malformedHttp: () => sendBytes('GET /v1/pets HTTP/1.1\r\nHost pets.example\r\n\r\n'),
  missingHost: () => sendBytes('GET /v1/pets HTTP/1.1\r\n\r\n'),
  tooManyChunks: () => sendBytes(inChunks(2000)),
  uriTooLong: () => sendBytes(`GET /v1/${'x'.repeat(8000)} HTTP/1.1\r\nHost: pets.example\r\n\r\n`),
  expectationFailed: () => sendBytes('GET /v1/pets HTTP/1.1\r\nHost: pets.example\r\nExpect: the-best\r\n\r\n'),
  unsupportedTransferCoding: () =>
    sendBytes('POST /v1/pets HTTP/1.1\r\nHost: pets.example\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n'),
  unsupportedMethod: () => sendBytes('BREW /v1/pets HTTP/1.1\r\nHost: pets.example\r\n\r\n'),
  connectNotSupported: () => sendBytes('CONNECT pets.example:443 HTTP/1.1\r\nHost: pets.example:443\r\n\r\n'),
  httpVersionNotSupported: () => sendBytes('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  malformedUrl: (valid) => sendInState('empty', withQuery(valid, 'status=100%')),
  'getPet malformedUrl': (valid) => sendInState('empty', withId(valid, '100%')),
  routeNotFound: () => sendInState('empty', { target: '/v1/Pets' }),
  methodNotAllowed: () => sendInState('empty', { method: unknownMethod, target: '/v1/pets' }),
  'documents routeNotFound': () => sendInState('empty', { target: '/pets' }),
  'documents methodNotAllowed': (valid) => sendInState('empty', { ...valid, method: unknownMethod }),
  tooManyDownloads: async (valid) => withFullMinute(await sendRepeatedly(601, valid)),
  notReady: () => sendInState('unavailable', { target: '/readyz' }),
  requestTimeout: () => sendIncomplete('POST /v1/pets HTTP/1.1\r\nHost: pets.example\r\n'),
  headersTooLarge: () =>
    sendBytes(`GET /v1/pets HTTP/1.1\r\nHost: pets.example\r\nX-Padding: ${'x'.repeat(20_000)}\r\n\r\n`),
};

/** The request for the example of each header. */
export const requestsByHeader: Readonly<Record<string, () => Promise<ReceivedResponse>>> = {
  NextPageLink: () => sendInState('three pets', { target: '/v1/pets?limit=2' }),
  Location: () => sendInState('empty', post(rex)),
  'Idempotent-Replayed': () => {
    const creation = { ...post(rex), headers: idempotencyKey };
    return sendAfter(creation, creation);
  },
  Deprecation: () => sendInState('two pets', { target: '/v1/pets/1' }),
  Sunset: () => sendInState('two pets', { target: '/v1/pets/1' }),
  DeprecationLinks: () => sendInState('two pets', { target: '/v1/pets/1' }),
  'WWW-Authenticate': () => sendInState('empty', { target: '/v1/pets', headers: withoutKey }),
  Accept: () => sendInState('empty', { ...post(rex), headers: { 'Content-Type': 'text/plain' } }),
  'Accept-Encoding': () => sendInState('empty', { ...post(rex), headers: { 'Content-Encoding': 'gzip' } }),
  'X-Request-Id': () => sendInState('empty', { target: '/v1/pets', headers: { 'X-Request-Id': 'order-4711' } }),
  'X-RateLimit-Limit': () => sendWithUsage({}, { target: '/v1/pets' }),
  'X-RateLimit-Remaining': () => sendWithUsage({}, { target: '/v1/pets' }),
  'X-RateLimit-Reset': () => sendWithUsage({}, { target: '/v1/pets' }),
  'RateLimit-Policy': () => sendWithUsage({}, { target: '/v1/pets' }),
  RateLimit: () => sendWithUsage({}, { target: '/v1/pets' }),
  'Retry-After': () => sendInState('unavailable', { target: '/v1/pets' }),
};
