import { ApiError } from '../../openapi/api-error.js';
import type { Handler } from '../../openapi/types.js';
import type { PetStore } from '../pet-store.js';

export function deletePet(pets: PetStore): Handler<'deletePet'> {
  return async ({ path: { petId } }) => {
    const isDeleted = await pets.delete(petId);
    if (!isDeleted) throw new ApiError('pet_not_found', `There is no animal with the id ${String(petId)}.`);
    return { status: 204 };
  };
}
