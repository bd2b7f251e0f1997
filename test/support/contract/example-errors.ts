import { createToken } from '#src/api-keys/token.js';
import { startOfTests } from '../servers/service.js';
import type { ReceivedResponse } from './conformance.js';
import { unknownMethod } from './contract-requests.js';
import {
  type SentRequest,
  sendAfter,
  sendIncomplete,
  sendInState,
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

/** A valid request with another id in its path, or with more in its query. */
const withId = (valid: SentRequest, id: string): SentRequest => ({
  ...valid,
  target: valid.target.replace('/pets/1', `/pets/${id}`),
});
const withQuery = (valid: SentRequest, query: string): SentRequest => ({
  ...valid,
  target: `${valid.target}${valid.target.includes('?') ? '&' : '?'}${query}`,
});

/**
 * The request for each response example, by its name, or by place and name if two examples have the same name. An
 * example of success without a request here is the response to a valid request when there are two pets.
 */
export const requestsByExample: Readonly<Record<string, ExampleRequest>> = {
  'listPets twoPets': () => sendInState('three pets', { target: '/v1/pets?limit=2' }),
  'listPets emptyPage': () => sendInState('two pets', { target: '/v1/pets?status=pending' }),
  limitOutOfRange: () => sendInState('empty', { target: '/v1/pets?limit=101' }),
  unknownStatus: () => sendInState('empty', { target: '/v1/pets?status=gone' }),
  invalidCursor: () => sendInState('empty', { target: '/v1/pets?cursor=MjphbGw' }),
  missingApiKey: (valid) => sendInState('empty', { ...valid, headers: withoutKey }),
  invalidApiKey: (valid) => sendInState('empty', { ...valid, headers: unknownKey }),
  minuteQuotaExceeded: (valid) => sendWithUsage({ minuteStartedAt: startOfTests, minuteUsed: 60 }, valid),
  dailyQuotaExceeded: (valid) => sendWithUsage({ dayStartedAt: startOfTests, dayUsed: 1000 }, valid),
  apiKeyBanned: (valid) => sendWithUsage({ bannedUntil: startOfTests + 900_000 }, valid),
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
  malformedUrl: (valid) => sendInState('empty', withQuery(valid, 'status=100%')),
  'getPet malformedUrl': (valid) => sendInState('empty', withId(valid, '100%')),
  routeNotFound: () => sendInState('empty', { target: '/v1/Pets' }),
  methodNotAllowed: () => sendInState('empty', { method: unknownMethod, target: '/v1/pets' }),
  requestTimeout: () => sendIncomplete('POST /v1/pets HTTP/1.1\r\nHost: pets.example\r\n'),
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
  Allow: () => sendInState('empty', { method: 'OPTIONS', target: '/v1/store/orders' }),
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
