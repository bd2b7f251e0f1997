import type { components, operations } from '../../generated/openapi.js';
import { type Call, createCall } from './call.js';
import { attempt, type CallOptions, createRequest, type OperationRequest } from './create-request.js';
import type { PetstoreClientOptions } from './options.js';
import { unexpectedResponse } from './petstore-error.js';
import { nextCursor } from './response-headers.js';
import { systemTime, type Time } from './time.js';

export type { Call, CallResult } from './call.js';
export type { CallOptions } from './create-request.js';
export type { ClientHooks, RequestEvent, ResponseEvent, RetryEvent } from './hooks.js';
export type { Fetch, PetstoreClientOptions } from './options.js';
export type { ClientErrorCode, PetstoreErrorCode, ServiceErrorCode } from './petstore-error.js';
export { errorCodes, isPetstoreError, PetstoreError, WaitTooLongError } from './petstore-error.js';
export type { RateLimit } from './response-headers.js';
export type { Time } from './time.js';

export type Pet = components['schemas']['Pet'];
export type NewPet = components['schemas']['NewPet'];
export type PetStatus = components['schemas']['PetStatus'];
/** `status` filters the pets, `limit` is the page size, and `cursor` is the `next` of the previous page. */
export type ListQuery = NonNullable<operations['listPets']['parameters']['query']>;

/** One page of pets, in ascending order of `id`. */
export interface PetPage {
  /** The pets, as many as `limit` at most; empty if no pet matches. */
  readonly pets: readonly Pet[];
  /** The `cursor` of the next page; `undefined` on the last one. */
  readonly next: string | undefined;
}

export interface CreateOptions extends CallOptions {
  /** Reuse a key to retry a creation after a crash of your program. Default: a random key. */
  readonly idempotencyKey?: string | undefined;
}

/** Short forms of operations, by their operationId. */
interface ShortForms {
  createPet: (pet: NewPet, options?: CreateOptions) => Call<Pet>;
  getPet: (petId: number | bigint, options?: CallOptions) => Call<Pet>;
  listPets: (query?: ListQuery, options?: CallOptions) => Call<PetPage>;
  listOrders: (options?: CallOptions) => Call<unknown>;
}

/** The short forms with the documentation of the contract, which a mapped type copies from `operations`. */
type DocumentedForms = { readonly [Id in keyof Pick<operations, keyof ShortForms>]: ShortForms[Id] };

/** The operations of the contract. They throw `PetstoreError`, and TypeError or RangeError for invalid arguments. */
export interface PetstoreClient extends DocumentedForms {
  /** Calls any operation of the contract by its method and path. The other methods are short forms of it. */
  readonly request: OperationRequest;
  /** Iterates over all pages of `listPets`: `for await (const pet of client.pets({ status: 'available' }))`. */
  pets(query?: ListQuery, options?: CallOptions): AsyncGenerator<Pet, void, undefined>;
}

/**
 * Creates a client.
 *
 * @param time replaces the system clock in tests. @throws TypeError for a missing or invalid option.
 */
export function createPetstoreClient(options: PetstoreClientOptions, time: Time = systemTime): PetstoreClient {
  const request = createRequest(options, time);
  const listPets = (query: ListQuery = {}, call: CallOptions = {}) =>
    createCall(request('get', '/pets', { params: { query }, ...call }), (body, response): PetPage => {
      const link = response.headers.get('Link');
      return { pets: checked(body, response, isPets), next: attempt(response, () => nextCursor(link)) };
    });
  return {
    request,
    listPets,
    createPet(body, { idempotencyKey = randomKey(), ...call } = {}) {
      const params = { header: { 'Idempotency-Key': idempotencyKey } };
      return createCall(request('post', '/pets', { params, body, ...call }), petOf);
    },
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- supported until the contract removes it
    getPet: (petId, call = {}) =>
      createCall(request('get', '/pets/{petId}', { params: { path: { petId } }, ...call }), petOf),
    async *pets(query = {}, call = {}) {
      const cursors = new Set([query.cursor]);
      for (let { cursor } = query; ; ) {
        const { data: page, response } = await listPets({ ...query, ...(cursor && { cursor }) }, call).withResponse();
        yield* page.pets;
        if (page.next === undefined) return;
        if (cursors.has(page.next)) throw unexpectedResponse(response, { cause: new Error('A cursor is repeated.') });
        cursors.add((cursor = page.next));
      }
    },
    listOrders: (call = {}) => createCall(request('get', '/store/orders', call), (body: unknown) => body),
  };
}

function petOf(body: unknown, response: Response): Pet {
  return checked(body, response, isPet);
}

/** Returns the body. @throws PetstoreError if it does not conform to the contract. */
function checked<T>(body: unknown, response: Response, isExpected: (value: unknown) => value is T): T {
  if (!isExpected(body)) throw unexpectedResponse(response);
  return body;
}

/** Checks each required field. A field that the contract adds or renames does not compile. */
const petFields: { readonly [Name in RequiredName<Pet>]: (value: unknown) => boolean } = {
  id: Number.isSafeInteger,
  name: (value) => typeof value === 'string',
  categoryId: (value) => Number.isSafeInteger(value) || typeof value === 'bigint',
};

type RequiredName<T> = { [Name in keyof T]-?: undefined extends T[Name] ? never : Name }[keyof T];

function isPet(value: unknown): value is Pet {
  const fields = (value ?? {}) as Readonly<Record<string, unknown>>;
  return Object.entries(petFields).every(([name, isValid]) => isValid(fields[name]));
}

function isPets(value: unknown): value is Pet[] {
  return Array.isArray(value) && value.every(isPet);
}

/** `crypto.randomUUID` is not available in pages that were loaded without TLS. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
