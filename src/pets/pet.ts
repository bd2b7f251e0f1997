import type { OperationRequest, Schema } from '../openapi/types.js';

export type Pet = Schema<'Pet'>;
export type Pets = Schema<'Pets'>;
export type PetStatus = Schema<'PetStatus'>;

/** The body of createPet after validation, with the defaults of the contract. */
export type NewPet = OperationRequest<'createPet'>['body'];
