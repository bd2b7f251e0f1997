import { ApiError, type Handler } from '../../contract.js';
import type { PetStore } from '../pet-store.js';

export function getPet(pets: PetStore): Handler<'getPet'> {
  return async ({ path }) => {
    const pet = await pets.find(path.petId);
    if (pet === undefined) throw new ApiError('pet_not_found', `No pet has the id ${String(path.petId)}.`);
    return { status: 200, body: pet };
  };
}
