import type { Handlers } from '../../contract/types.js';
import type { PetCreations } from '../../domain/pet-creations.js';
import type { PetStore } from '../../domain/pets.js';
import type { Links } from '../links.js';
import { createPet } from './create-pet.js';
import { getPet } from './get-pet.js';
import { listPets } from './list-pets.js';

/** The handlers of every implemented operation, by operationId. */
export function createHandlers(pets: PetStore, creations: PetCreations, links: Links): Handlers {
  return {
    listPets: listPets(pets, links),
    createPet: createPet(creations, links),
    getPet: getPet(pets),
  };
}
