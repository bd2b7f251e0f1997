import type { Handler } from '../../openapi/types.js';
import { petNotFound } from '../pet.js';
import type { PetStore } from '../pet-store.js';

export function deletePet(pets: PetStore): Handler<'deletePet'> {
  return async ({ path: { petId } }) => {
    const isDeleted = await pets.delete(petId);
    if (!isDeleted) throw petNotFound(petId);
    return { status: 204 };
  };
}
