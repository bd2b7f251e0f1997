import createClient from 'openapi-fetch';
import type { components, operations, paths } from '../../generated/openapi.js';
import { unexpectedAnswer } from './error-of.js';
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
/**
 * `status` narrows the list, `limit` sets how many animals a page holds, and `cursor` is where it begins: `next` of
 * another page.
 */
export type ListQuery = NonNullable<operations['listPets']['parameters']['query']>;

/** One page of animals, in ascending order of `id`. */
export interface PetPage {
  readonly pets: readonly Pet[];
  /** The `cursor` of the next page; `undefined` on the last one. */
  readonly next: string | undefined;
}

export interface PetstoreClientOptions {
  /** Where the service is, up to and including the path prefix: `https://api.petstore.example/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** The longest wait that the service may ask for between two attempts; 60 unless given. */
  readonly maxWaitSeconds?: number | undefined;
  /** How often a request is sent altogether; 6 unless given. */
  readonly maxAttempts?: number | undefined;
  /** How long one attempt may take, up to the last byte of the answer; 30 unless given. */
  readonly timeoutSeconds?: number | undefined;
  /** Instead of the platform's own. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Ends every call. */
  readonly signal?: AbortSignal | undefined;
}

export interface CallOptions {
  /** Ends the call, also while it waits. */
  readonly signal?: AbortSignal | undefined;
}

export interface CreateOptions extends CallOptions {
  /** Give the same one again to repeat a creation whose outcome was lost with the program. A fresh one unless given. */
  readonly idempotencyKey?: string | undefined;
}

/** An operation of the contract that is missing below does not compile. */
type Operations = Readonly<Record<keyof operations, (...args: never) => Promise<unknown>>>;

/**
 * The operations of the contract. All of them throw `PetstoreError`; and a TypeError or RangeError for arguments that
 * no request can carry.
 */
export interface PetstoreClient extends Operations {
  /** Adds an animal, once, however often the request has to be sent. */
  createPet(pet: NewPet, options?: CreateOptions): Promise<Pet>;
  /** @deprecated It will be removed on 5 December 2030. List animals instead. */
  getPet(petId: number | bigint, options?: CallOptions): Promise<Pet>;
  listPets(query?: ListQuery, options?: CallOptions): Promise<PetPage>;
  /** Every animal, page after page: `for await (const pet of client.pets({ status: 'available' }))`. */
  pets(query?: ListQuery, options?: CallOptions): AsyncGenerator<Pet, void, undefined>;
  /** @experimental Reserved: the service answers `not_implemented`. */
  listOrders(options?: CallOptions): Promise<unknown>;
}

/** @param time how to wait; for tests. @throws TypeError for an option that cannot work. */
export function createPetstoreClient(options: PetstoreClientOptions, time: Time = systemTime): PetstoreClient {
  const { baseUrl, apiKey, fetch = platformFetch } = options;
  const { maxWaitSeconds = 60, maxAttempts = 6, timeoutSeconds = 30 } = options;
  check(/^(https?:\/)?\//.test(baseUrl), 'baseUrl must begin with https:// or http://, or in a page with a slash.');
  // `fetch` would repeat the password, or the key, in what it throws.
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
    // The contract knows no redirection, and the key goes nowhere else.
    redirect: 'manual',
  });
  /** Text is asked for because openapi-fetch would round what it parses. */
  const common = ({ signal }: CallOptions) => ({
    parseAs: 'text' as const,
    signal: AbortSignal.any([options.signal, signal].filter(isGiven)),
  });

  const client: PetstoreClient = {
    async createPet(body, { idempotencyKey = randomKey(), ...call } = {}) {
      const params = { header: { 'Idempotency-Key': idempotencyKey } };
      return (await read(api.POST('/pets', { params, body, ...common(call) }), isPet)).value;
    },
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- The client has it for as long as the contract does.
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

function check(isRight: boolean, message: string): void {
  if (!isRight) throw new TypeError(message);
}

/** Whatever stands there at the time of the call: tests and instruments replace it. */
const platformFetch: typeof fetch = (...args) => globalThis.fetch(...args);

/** @throws PetstoreError if a success has not the body that the contract declares. */
async function read<T>(
  exchange: Promise<{ data?: string; response: Response }>,
  isExpected: (value: unknown) => value is T,
) {
  const { data = '', response } = await exchange;
  const value = attempt(response, () => parseJson(data));
  if (!isExpected(value)) throw unexpectedAnswer(response);
  return { value, response };
}

function cursorAfter(response: Response): string | undefined {
  return attempt(response, () => nextCursor(response.headers.get('Link')));
}

function attempt<T>(response: Response, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw unexpectedAnswer(response, undefined, cause);
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

/** `crypto.randomUUID` is missing from pages that came without TLS. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
