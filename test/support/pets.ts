import type { Test } from 'supertest';
import type { IdempotentRequest, NewPet } from '#src/pets/pet-store.js';
import { request } from './clients/request.js';
import type { TestService } from './servers/service.js';

/** A pet, and a request with an `Idempotency-Key` to create one, for tests of stores. */
export const rex: NewPet = { name: 'Rex', categoryId: 7, status: 'available' };
const times = { receivedAt: 1, expiresAt: 2 };
export const creationRequest: IdempotentRequest = { quotaId: 'a', key: 'one', bodyDigest: Buffer.alloc(32), ...times };
/** A body of createPet without optional fields. */
export const rexText = '{"name":"Rex","categoryId":7}';

/** Creates the pet, with other values of some fields, and expects a 201. */
export const createPet = (service: TestService, changes: Partial<NewPet> = {}) =>
  postPet(service, JSON.stringify({ ...rex, ...changes })).expect(201);

/** Sends createPet with any body. */
export const postPet = (service: TestService, text = rexText, token = service.token): Test =>
  request(service, token).post('/v1/pets').type('json').send(text);
