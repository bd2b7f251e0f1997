import { RawConnection, type ReceivedResponse, sendRaw } from '@contract-server/test-support/clients/raw-connection.js';
import { corruptDatabase, dropTable, forgetKeys, whileLocked } from '@contract-server/test-support/fault-injection.js';
import { startOfTests } from '@contract-server/test-support/start-of-tests.js';
import { temporaryDirectory } from '@contract-server/test-support/temporary-directory.js';
import { unknownToken } from '@contract-server/test-support/unknown-token.js';
import type { NewPet } from '#src/pets/pet-store.js';
import { rexText as rex } from '../pets.js';
import { issueFreeKey } from '../rate-limits/free-key.js';
import { startService, type TestService } from '../servers/service.js';
import { bodyExamplesOf, unknownMethod } from './contract-requests.js';
import { operations } from './document.js';

export interface SentRequest {
  readonly method?: string;
  /** The request target, `/v1/pets`. */
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

type ServiceState = 'empty' | 'one pet' | 'two pets' | 'three pets' | 'removed' | 'defective' | 'unavailable';

/** The base URL of the contract's examples. */
const env = { PUBLIC_BASE_URL: 'https://api.petstore.example/v1' };
const petsToInsert: readonly NewPet[] = [
  { name: 'Rex', categoryId: 7, status: 'available' },
  { name: 'Mia', categoryId: -3, status: 'sold' },
  { name: 'Tom', categoryId: -3, status: 'available' },
];
const petCounts: Partial<Record<ServiceState, number>> = { empty: 0, 'two pets': 2, 'three pets': 3 };

/** Sends a request with a valid API key to a new service in this state. */
export async function sendInState(state: ServiceState, sent: SentRequest): Promise<ReceivedResponse> {
  const service = await startService(env);
  for (const pet of petsToInsert.slice(0, petCounts[state] ?? 1)) await service.stores.application.pets.insert(pet);
  if (state === 'removed') service.clock.now = Date.parse('2030-12-05T00:00:00Z');
  if (state === 'defective') dropTable(service, 'api_keys');
  if (state === 'unavailable') corruptDatabase(service);
  forgetKeys(service);
  return send(service, sent);
}

/** Sends two requests one after the other. Returns the second response. */
async function sendAfter(first: SentRequest, second: SentRequest): Promise<ReceivedResponse> {
  const service = await startService(env);
  await send(service, first);
  return send(service, second);
}

/** Sends a request twice while the database is locked. Returns the first response. */
async function sendTwice(sent: SentRequest): Promise<ReceivedResponse> {
  const service = await startService(env);
  return whileLocked(service, () => Promise.race([send(service, sent), send(service, sent)]));
}

/** Sends a request with a key of the free plan whose quota has used this. */
async function sendWithUsage(used: Parameters<typeof issueFreeKey>[1], sent: SentRequest): Promise<ReceivedResponse> {
  const directory = temporaryDirectory();
  const token = await issueFreeKey(directory, used);
  return send({ ...(await startService({ ...env, DATA_DIR: directory })), token }, sent);
}

/** Sends a request to a service that handles one at a time, while a creation waits for a lock. */
async function sendWhileBusy(creation: SentRequest, sent: SentRequest): Promise<ReceivedResponse> {
  const service = await startService({ ...env, MAX_CONCURRENT_REQUESTS: '1' });
  return whileLocked(service, async () => {
    void send(service, creation);
    for (;;) {
      const response = await send(service, sent);
      if (response.status === 503) return response;
    }
  });
}

/** Sends an incomplete request to a service with timeouts of milliseconds. */
async function sendIncomplete(bytes: string): Promise<ReceivedResponse> {
  const timeouts = { headersTimeout: 50, requestTimeout: 100, connectionsCheckingInterval: 20 };
  const connection = await RawConnection.open(await startService(env, undefined, timeouts));
  connection.send(bytes);
  return connection.readResponse();
}

function send(
  service: TestService,
  { method = 'GET', target, headers = {}, body = '' }: SentRequest,
): Promise<ReceivedResponse> {
  const all = {
    Host: 'pets.example',
    Authorization: `Bearer ${service.token}`,
    ...(body === '' ? {} : { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(body)) }),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return sendRaw(service, `${method} ${target} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
}

/** Sends a request that returns an example. `valid` is a valid request to the operation of the example. */
type ExampleRequest = (valid: SentRequest) => Promise<ReceivedResponse>;

const creation = operations.find(({ operation }) => operation.operationId === 'createPet');
const mia = JSON.stringify(creation && bodyExamplesOf(creation)['soldCat']);
const post = (body: string): SentRequest => ({ method: 'POST', target: '/v1/pets', body });
const postOnce = (body: string): SentRequest => ({ ...post(body), headers: { 'Idempotency-Key': 'one' } });
const withoutKey = { Authorization: '' };
const unknownKey = { Authorization: `Bearer ${unknownToken('pets_live_')}` };

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
  idempotencyKeyInFlight: () => sendTwice(postOnce(rex)),
  idempotencyKeyReused: () => sendAfter(postOnce(rex), postOnce(mia)),
  bodyTooLarge: (valid) => sendInState('empty', { ...valid, body: ' '.repeat(65_537) }),
  tooManyValues: (valid) => sendInState('empty', { ...valid, body: JSON.stringify(Array(1000).fill(0)) }),
  unsupportedMediaType: (valid) =>
    sendInState('empty', { ...valid, body: 'x', headers: { 'Content-Type': 'application/x-www-form-urlencoded' } }),
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

const getPet = () => sendInState('two pets', { target: '/v1/pets/1' });
const listWithinLimits = () => sendWithUsage({}, { target: '/v1/pets' });
const rateLimits = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'RateLimit-Policy', 'RateLimit'];

/** The request for the example of each header. */
export const requestsByHeader: Readonly<Record<string, () => Promise<ReceivedResponse>>> = {
  NextPageLink: () => sendInState('three pets', { target: '/v1/pets?limit=2' }),
  Location: () => sendInState('empty', post(rex)),
  'Idempotent-Replayed': () => sendAfter(postOnce(rex), postOnce(rex)),
  ...Object.fromEntries(['Deprecation', 'Sunset', 'DeprecationLinks'].map((name) => [name, getPet])),
  'WWW-Authenticate': () => sendInState('empty', { target: '/v1/pets', headers: withoutKey }),
  Allow: () => sendInState('empty', { method: 'OPTIONS', target: '/v1/store/orders' }),
  Accept: () => sendInState('empty', { ...post(rex), headers: { 'Content-Type': 'text/plain' } }),
  'Accept-Encoding': () => sendInState('empty', { ...post(rex), headers: { 'Content-Encoding': 'gzip' } }),
  'X-Request-Id': () => sendInState('empty', { target: '/v1/pets', headers: { 'X-Request-Id': 'order-4711' } }),
  ...Object.fromEntries(rateLimits.map((name) => [name, listWithinLimits])),
  'Retry-After': () => sendInState('unavailable', { target: '/v1/pets' }),
};
