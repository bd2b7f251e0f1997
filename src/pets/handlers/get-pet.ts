import type { Handler } from '../../openapi/types.js';
import { petNotFound } from '../pet.js';
import type { PetStore } from '../pet-store.js';

export function getPet(pets: PetStore): Handler<'getPet'> {
  return async ({ path }) => {
    const pet = await pets.find(path.petId);
    if (pet === undefined) throw petNotFound(path.petId);
    return { status: 200, body: pet };
  };
}
