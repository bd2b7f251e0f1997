import {
  attempt,
  type Call,
  type CallOptions,
  type ClientOptions,
  createCall,
  createClient as createContractClient,
  type OperationRequest,
  type Time,
  unexpectedResponse,
} from '@contract-server/client';
import { type Contract, contract } from '../../generated/contract.js';
import { PetstoreError } from './petstore-error.js';
import { settings } from './settings.js';

type Operations = Contract['operations'];
export type Pet = Contract['schemas']['Pet'];
export type NewPet = Contract['schemas']['NewPet'];
export type PetStatus = Contract['schemas']['PetStatus'];
/** `status` filters the pets, `limit` is the page size, and `cursor` is the `next` of the previous page. */
export type ListQuery = NonNullable<Operations['listPets']['parameters']['query']>;

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

/** Named methods of operations, by their operationId. */
interface NamedMethods {
  createPet: (pet: NewPet, options?: CreateOptions) => Call<Pet>;
  getPet: (petId: number | bigint, options?: CallOptions) => Call<Pet>;
  listPets: (query?: ListQuery, options?: CallOptions) => Call<PetPage>;
}

/** The named methods with the documentation of the contract, which a mapped type copies from the contract. */
type DocumentedMethods = { readonly [Id in keyof Pick<Operations, keyof NamedMethods>]: NamedMethods[Id] };

/** The operations of the contract. They throw `PetstoreError`, and TypeError or RangeError for invalid arguments. */
export interface PetstoreClient extends DocumentedMethods {
  /** Calls any operation of the contract by its method and path. The named methods wrap it. */
  readonly request: OperationRequest<Contract['paths']>;
  /** Iterates over all pages of `listPets`: `for await (const pet of client.pets({ status: 'available' }))`. */
  pets(query?: ListQuery, options?: CallOptions): AsyncGenerator<Pet, void, undefined>;
}

export type PetstoreClientOptions = ClientOptions<PetstoreError> & {
  /** API key, from the operator of the service. In a web page, every visitor can read it. */
  readonly apiKey: string;
};

/** Creates a client that waits by this clock. @throws TypeError for a missing or invalid option. */
export function createClient({ apiKey, ...options }: PetstoreClientOptions, time?: Time): PetstoreClient {
  const { request } = createContractClient<Contract, PetstoreError>(
    { ...options, contract, credentials: { apiKey } },
    { ...settings, time },
  );
  const listPets = (query: ListQuery = {}, call: CallOptions = {}) =>
    createCall(request('get', '/pets', { params: { query }, ...call }), (body, response): PetPage => {
      if (!Array.isArray(body) || !body.every(isPet)) throw unexpectedResponse(PetstoreError, response);
      return { pets: body, next: attempt(PetstoreError, response, () => nextCursor(response.headers.get('Link'))) };
    });
  return {
    request,
    listPets,
    createPet(body, { idempotencyKey = randomKey(), ...call } = {}) {
      const params = { header: { 'Idempotency-Key': idempotencyKey } };
      return createCall(request('post', '/pets', { params, body, ...call }), requirePet);
    },
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- supported until the contract removes it
    getPet: (petId, call = {}) =>
      createCall(request('get', '/pets/{petId}', { params: { path: { petId } }, ...call }), requirePet),
    async *pets(query = {}, call = {}) {
      const cursors = new Set([query.cursor]);
      let { cursor } = query;
      for (;;) {
        const { data: page, response } = await listPets({ ...query, ...(cursor && { cursor }) }, call).withResponse();
        yield* page.pets;
        if (page.next === undefined) return;
        if (cursors.has(page.next))
          throw unexpectedResponse(PetstoreError, response, { cause: new Error('A cursor is repeated.') });
        cursor = page.next;
        cursors.add(cursor);
      }
    },
  };
}

/** A link with the relation `next` (RFC 8288, section 3). */
const nextLink = /<([^<>]*)>\s*;[^<]*\brel="?next"?\s*(?:[;,]|$)/i;

/**
 * The cursor of the next page in a `Link` header; `undefined` on the last page. The rest of the link is not used, so
 * that the API key is only sent to the base URL.
 *
 * @throws TypeError if the next link has no cursor.
 */
export function nextCursor(header: string | null): string | undefined {
  const [, target] = nextLink.exec(header ?? '') ?? [];
  if (target === undefined) return undefined;
  // The base only makes relative links parsable.
  const cursor = new URL(target, 'http://localhost').searchParams.get('cursor');
  if (cursor === null) throw new TypeError(`The next link has no cursor: ${target}`);
  return cursor;
}

/** @throws PetstoreError `unexpected_response` if the body is no pet: a proxy may have sent it. */
function requirePet(body: unknown, response: Response): Pet {
  if (!isPet(body)) throw unexpectedResponse(PetstoreError, response);
  return body;
}

function isPet(value: unknown): value is Pet {
  const { id, name, categoryId } = (value ?? {}) as Partial<Pet>;
  const isExact = Number.isSafeInteger(categoryId) || typeof categoryId === 'bigint';
  return Number.isSafeInteger(id) && typeof name === 'string' && isExact;
}

/** `crypto.randomUUID` is not available in pages that were loaded without TLS. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
