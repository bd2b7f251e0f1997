import type { Int64 } from '../json/int64.js';
import { ApiError } from '../lib/errors.js';
import type { OperationRequest, Schema } from '../openapi/types.js';

export type Pet = Schema<'Pet'>;
export type Pets = Schema<'Pets'>;
export type PetStatus = Schema<'PetStatus'>;

/** The body of createPet after validation, with the defaults of the contract. */
export type NewPet = OperationRequest<'createPet'>['body'];

/** The error of an operation on a pet that does not exist. */
export function petNotFound(id: Int64): ApiError {
  return new ApiError('pet_not_found', `No pet has the id ${String(id)}.`);
}
