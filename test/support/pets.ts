import { anyName } from '@contract-server/test-support/json-value.js';
import { parseJson } from 'contract-server';
import fc from 'fast-check';
import type { Test } from 'supertest';
import type { IdempotentRequest, NewPet } from '#src/pets/pet-store.js';
import { request } from './clients/request.js';
import { findPlace } from './contract/document.js';
import type { TestService } from './servers/service.js';

/** A pet, and a request with an `Idempotency-Key` to create one, for tests of stores. */
export const rex: NewPet = { name: 'Rex', categoryId: 7, status: 'available' };
const times = { receivedAt: 1, expiresAt: 2 };
export const creationRequest: IdempotentRequest = { quotaId: 'a', key: 'one', bodyDigest: Buffer.alloc(32), ...times };

/** The range of `int64`. */
export const [int64Min, int64Max] = [-(2n ** 63n), 2n ** 63n - 1n];
const anyInt64 = fc.oneof(
  fc.constantFrom(int64Min, int64Max, 2n ** 53n - 1n, 2n ** 53n + 1n, 0n, -1n),
  fc.bigInt(int64Min, int64Max),
);
/** Every value that a store must preserve, by field: a field that is missing here does not compile. */
const anyFields = {
  name: anyName(255),
  categoryId: anyInt64.map((value) => parseJson(Buffer.from(String(value))) as number | bigint),
  status: fc.constantFrom('available', 'pending', 'sold'),
} satisfies { readonly [Field in keyof Required<NewPet>]: fc.Arbitrary<NewPet[Field]> };
/** Any pet; without any of the fields that are optional. */
export const anyPet: fc.Arbitrary<NewPet> = fc.record(anyFields, { requiredKeys: ['name', 'categoryId', 'status'] });

/** The fields of NewPet, as messages list them. */
export const allowedFields = Object.keys(findPlace('/components/schemas/NewPet/properties') as object)
  .map((name) => `\`${name}\``)
  .join(', ');

/** A body of createPet without optional fields. */
export const rexText = '{"name":"Rex","categoryId":7}';

/** Creates the pet, with other values of some fields, and expects a 201. */
export const createPet = (service: TestService, changes: Partial<NewPet> = {}) =>
  postPet(service, JSON.stringify({ ...rex, ...changes })).expect(201);

/** Sends createPet with any body. */
export const postPet = (service: TestService, text = rexText, token = service.token): Test =>
  request(service, token).post('/v1/pets').type('json').send(text);
