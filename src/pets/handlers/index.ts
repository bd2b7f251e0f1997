import type { Handlers, Links } from '../../contract.js';
import type { IdempotentCreation } from '../idempotent-creation.js';
import type { PetStore } from '../pet-store.js';
import { createPet } from './create-pet.js';
import { getPet } from './get-pet.js';
import { listPets } from './list-pets.js';

/** The handlers of every implemented operation, by operationId. */
export function createHandlers(pets: PetStore, creations: IdempotentCreation, links: Links): Handlers {
  return {
    listPets: listPets(pets, links),
    createPet: createPet(creations, links),
    getPet: getPet(pets),
  };
}
