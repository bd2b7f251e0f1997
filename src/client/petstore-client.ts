import type { components, operations } from '../../generated/openapi.js';
import {
  attempt,
  type CallOptions,
  createRequest,
  type OperationRequest,
  type OperationResult,
  type PetstoreClientOptions,
} from './create-request.js';
import { unexpectedResponse } from './error-of.js';
import { nextCursor } from './next-cursor.js';
import { systemTime, type Time } from './time.js';

export type { CallOptions, PetstoreClientOptions } from './create-request.js';
export type { ClientErrorCode, PetstoreErrorCode, ServiceErrorCode } from './petstore-error.js';
export { isPetstoreError, PetstoreError, WaitTooLongError } from './petstore-error.js';
export type { Time } from './time.js';

export type Pet = components['schemas']['Pet'];
export type NewPet = components['schemas']['NewPet'];
export type PetStatus = components['schemas']['PetStatus'];
/** `status` filters the pets, `limit` is the page size, and `cursor` is the `next` of the previous page. */
export type ListQuery = NonNullable<operations['listPets']['parameters']['query']>;

/** One page of pets, in ascending order of `id`. */
export interface PetPage {
  readonly pets: readonly Pet[];
  /** The `cursor` of the next page; `undefined` on the last one. */
  readonly next: string | undefined;
}

export interface CreateOptions extends CallOptions {
  /** Reuse a key to retry a creation after a crash of your program. Default: a random key. */
  readonly idempotencyKey?: string | undefined;
}

/** The operations of the contract. They throw `PetstoreError`, and TypeError or RangeError for invalid arguments. */
export interface PetstoreClient {
  /** Calls any operation of the contract by its method and path. The other methods are short forms of it. */
  readonly request: OperationRequest;
  /** Creates a pet. Retries never create it twice. */
  createPet(pet: NewPet, options?: CreateOptions): Promise<Pet>;
  /** @deprecated The contract declares when it is removed, and what replaces it. */
  getPet(petId: number | bigint, options?: CallOptions): Promise<Pet>;
  listPets(query?: ListQuery, options?: CallOptions): Promise<PetPage>;
  /** Iterates over all pages: `for await (const pet of client.pets({ status: 'available' }))`. */
  pets(query?: ListQuery, options?: CallOptions): AsyncGenerator<Pet, void, undefined>;
  /** @experimental Reserved: the service returns `not_implemented`. */
  listOrders(options?: CallOptions): Promise<unknown>;
}

/** @param time replaces the system clock in tests. @throws TypeError for an invalid option. */
export function createPetstoreClient(options: PetstoreClientOptions, time: Time = systemTime): PetstoreClient {
  const request = createRequest(options, time);
  const client: PetstoreClient = {
    request,
    async createPet(body, { idempotencyKey = randomKey(), ...call } = {}) {
      const params = { header: { 'Idempotency-Key': idempotencyKey } };
      return bodyOf(await request('post', '/pets', { params, body, ...call }), isPet);
    },
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- supported until the contract removes it
    async getPet(petId, call = {}) {
      return bodyOf(await request('get', '/pets/{petId}', { params: { path: { petId } }, ...call }), isPet);
    },
    async listPets(query = {}, call = {}) {
      const result = await request('get', '/pets', { params: { query }, ...call });
      return { pets: bodyOf(result, isPets), next: cursorAfter(result.response) };
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
      return (await request('get', '/store/orders', call)).data;
    },
  };
  return client;
}

/** Returns the body. @throws PetstoreError if it does not conform to the contract. */
function bodyOf<T>({ data, response }: OperationResult<unknown>, isExpected: (value: unknown) => value is T): T {
  if (!isExpected(data)) throw unexpectedResponse(response);
  return data;
}

function cursorAfter(response: Response): string | undefined {
  return attempt(response, () => nextCursor(response.headers.get('Link')));
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
