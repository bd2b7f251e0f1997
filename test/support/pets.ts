import type { NewPet } from '#src/pets/pet.js';
import type { IdempotentRequest } from '#src/pets/pet-store.js';

/** A pet, and a request with an `Idempotency-Key` to create one, for tests of stores. */
export const rex: NewPet = { name: 'Rex', categoryId: 7, status: 'available' };
export const creationRequest: IdempotentRequest = {
  quotaId: 'quota_a',
  key: 'one',
  bodyDigest: Buffer.alloc(32),
  sentAt: 1,
  expiresAt: 2,
};
