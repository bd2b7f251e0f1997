import type { Handlers } from '../../contract.js';
import type { IdempotentCreation } from '../idempotent-creation.js';
import type { PetStore } from '../pet-store.js';
import { createPet } from './create-pet.js';
import { getPet } from './get-pet.js';
import { listPets } from './list-pets.js';

/** The handlers of every implemented operation, by operationId. */
export function createHandlers(pets: PetStore, creations: IdempotentCreation): Handlers {
  return {
    listPets: listPets(pets),
    createPet: createPet(creations),
    getPet: getPet(pets),
  };
}
