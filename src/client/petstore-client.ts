import createClient from 'openapi-fetch';
import type { components, operations, paths } from '../../generated/openapi.js';
import { unexpectedResponse } from './error-of.js';
import { parseJson, stringifyJson } from './exact-json.js';
import { nextCursor } from './next-cursor.js';
import { createRetryingFetch } from './retrying-fetch.js';
import { systemTime, type Time } from './time.js';

export type { ClientErrorCode, PetstoreErrorCode, ServiceErrorCode } from './petstore-error.js';
export { isPetstoreError, PetstoreError, WaitTooLongError } from './petstore-error.js';
export type { Time } from './time.js';

export type Pet = components['schemas']['Pet'];
export type NewPet = components['schemas']['NewPet'];
export type PetStatus = components['schemas']['PetStatus'];
/** `status` filters the animals, `limit` is the page size, and `cursor` is the `next` of the previous page. */
export type ListQuery = NonNullable<operations['listPets']['parameters']['query']>;

/** One page of animals, in ascending order of `id`. */
export interface PetPage {
  readonly pets: readonly Pet[];
  /** The `cursor` of the next page; `undefined` on the last one. */
  readonly next: string | undefined;
}

export interface PetstoreClientOptions {
  /** The URL of the service, up to and including the path prefix: `https://api.petstore.example/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Maximum wait between two attempts that the service may request. Default: 60. */
  readonly maxWaitSeconds?: number | undefined;
  /** Maximum number of times that a request is sent. Default: 6. */
  readonly maxAttempts?: number | undefined;
  /** Timeout of one attempt, including the response body. Default: 30. */
  readonly timeoutSeconds?: number | undefined;
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Aborts every call. */
  readonly signal?: AbortSignal | undefined;
}

export interface CallOptions {
  /** Aborts the call, also during a wait. */
  readonly signal?: AbortSignal | undefined;
}

export interface CreateOptions extends CallOptions {
  /** Reuse a key to retry a creation after a crash of your program. Default: a random key. */
  readonly idempotencyKey?: string | undefined;
}

/** Makes the compiler check that `PetstoreClient` has every operation of the contract. */
type Operations = Readonly<Record<keyof operations, (...args: never) => Promise<unknown>>>;

/** The operations of the contract. They throw `PetstoreError`, and TypeError or RangeError for invalid arguments. */
export interface PetstoreClient extends Operations {
  /** Creates an animal. Retries never create it twice. */
  createPet(pet: NewPet, options?: CreateOptions): Promise<Pet>;
  /** @deprecated It will be removed on 5 December 2030. List animals instead. */
  getPet(petId: number | bigint, options?: CallOptions): Promise<Pet>;
  listPets(query?: ListQuery, options?: CallOptions): Promise<PetPage>;
  /** Iterates over all pages: `for await (const pet of client.pets({ status: 'available' }))`. */
  pets(query?: ListQuery, options?: CallOptions): AsyncGenerator<Pet, void, undefined>;
  /** @experimental Reserved: the service returns `not_implemented`. */
  listOrders(options?: CallOptions): Promise<unknown>;
}

/** @param time replaces the system clock in tests. @throws TypeError for an invalid option. */
export function createPetstoreClient(options: PetstoreClientOptions, time: Time = systemTime): PetstoreClient {
  const { baseUrl, apiKey, fetch = platformFetch } = options;
  const { maxWaitSeconds = 60, maxAttempts = 6, timeoutSeconds = 30 } = options;
  check(/^(https?:\/)?\//.test(baseUrl), 'baseUrl must begin with https:// or http://, or in a page with a slash.');
  // `fetch` would include the password or the key in its errors.
  check(!/^[a-z]+:\/\/[^/?#]*@/.test(baseUrl), 'baseUrl must be without a user name and a password.');
  check(/^[!-~]+$/.test(apiKey), 'apiKey must be visible ASCII characters, without blanks or line ends.');
  check(
    maxWaitSeconds >= 0 && maxAttempts >= 1 && timeoutSeconds > 0,
    'maxWaitSeconds, maxAttempts or timeoutSeconds is too small.',
  );
  const api = createClient<paths>({
    baseUrl,
    headers: { Authorization: `Bearer ${apiKey}` },
    fetch: createRetryingFetch(fetch, { maxWaitSeconds, maxAttempts, timeoutSeconds }, time),
    bodySerializer: stringifyJson,
    // The contract has no redirects, and the API key must not be sent to another URL.
    redirect: 'manual',
  });
  /** `parseAs: 'text'`, because the JSON parser of openapi-fetch rounds large integers. */
  const common = ({ signal }: CallOptions) => ({
    parseAs: 'text' as const,
    signal: AbortSignal.any([options.signal, signal].filter(isGiven)),
  });

  const client: PetstoreClient = {
    async createPet(body, { idempotencyKey = randomKey(), ...call } = {}) {
      const params = { header: { 'Idempotency-Key': idempotencyKey } };
      return (await read(api.POST('/pets', { params, body, ...common(call) }), isPet)).value;
    },
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- The client supports it until it is removed from the contract.
    async getPet(petId, call = {}) {
      return (await read(api.GET('/pets/{petId}', { params: { path: { petId } }, ...common(call) }), isPet)).value;
    },
    async listPets(query = {}, call = {}) {
      const { value, response } = await read(api.GET('/pets', { params: { query }, ...common(call) }), isPets);
      return { pets: value, next: cursorAfter(response) };
    },
    async *pets(query = {}, call = {}) {
      let page = await client.listPets(query, call);
      yield* page.pets;
      while (page.next !== undefined) {
        page = await client.listPets({ ...query, cursor: page.next }, call);
        yield* page.pets;
      }
    },
    async listOrders(call = {}) {
      return (await read(api.GET('/store/orders', common(call)), isAnything)).value;
    },
  };
  return client;
}

function check(isValid: boolean, message: string): void {
  if (!isValid) throw new TypeError(message);
}

/** Looks `fetch` up at each call, because tests and instrumentation replace it. */
const platformFetch: typeof fetch = (...args) => globalThis.fetch(...args);

/** @throws PetstoreError if the body of a successful response does not conform to the contract. */
async function read<T>(
  result: Promise<{ data?: string; response: Response }>,
  isExpected: (value: unknown) => value is T,
) {
  const { data = '', response } = await result;
  const value = attempt(response, () => parseJson(data));
  if (!isExpected(value)) throw unexpectedResponse(response);
  return { value, response };
}

function cursorAfter(response: Response): string | undefined {
  return attempt(response, () => nextCursor(response.headers.get('Link')));
}

function attempt<T>(response: Response, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw unexpectedResponse(response, undefined, cause);
  }
}

function isPet(value: unknown): value is Pet {
  const { id, name, categoryId } = (value ?? {}) as Partial<Pet>;
  return (
    Number.isSafeInteger(id) &&
    typeof name === 'string' &&
    (Number.isSafeInteger(categoryId) || typeof categoryId === 'bigint')
  );
}

function isPets(value: unknown): value is Pet[] {
  return Array.isArray(value) && value.every(isPet);
}

function isGiven<T>(value: T | undefined): value is T {
  return value !== undefined;
}

function isAnything(_value: unknown): _value is unknown {
  return true;
}

/** `crypto.randomUUID` is not available in pages that were loaded without TLS. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
