import { stringifyJson } from '../../contract/exact-json.js';
import type { Handler, Pet } from '../../contract/types.js';
import type { PetStore } from '../../domain/pets.js';
import type { Links } from '../links.js';

export function createPet(pets: PetStore, links: Links): Handler<'createPet'> {
  return async ({ body: { name, categoryId, status } }) => {
    const id = await pets.insert({ name, categoryId, status });
    const location = links.to('getPet', { petId: id });
    const body = stringifyJson<Pet>({ id, name, categoryId, status });
    return { status: 201, body, headers: { ...(location && { Location: location }) } };
  };
}
