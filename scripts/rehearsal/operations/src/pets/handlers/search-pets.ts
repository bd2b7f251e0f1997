import type { Handler } from '../../openapi/types.js';
import type { PetStore } from '../pet-store.js';

export function searchPets(pets: PetStore): Handler<'searchPets'> {
  return async ({ query: { name } }) => ({ status: 200, body: await pets.findByName(name) });
}
