import { ApiError } from '../../openapi/api-error.js';
import type { Handler } from '../../openapi/types.js';
import type { PetStore } from '../pet-store.js';

export function updatePet(pets: PetStore): Handler<'updatePet'> {
  return async ({ path: { petId }, body }) => {
    const pet = await pets.update(petId, body);
    if (pet === undefined) throw new ApiError('pet_not_found', `There is no animal with the id ${String(petId)}.`);
    return { status: 200, body: pet };
  };
}
