import type { Handler } from '../../openapi/types.js';
import { petNotFound } from '../pet.js';
import type { PetStore } from '../pet-store.js';

export function updatePet(pets: PetStore): Handler<'updatePet'> {
  return async ({ path: { petId }, body }) => {
    const pet = await pets.update(petId, body);
    if (pet === undefined) throw petNotFound(petId);
    return { status: 200, body: pet };
  };
}
