import type { Handler } from '../../contract.js';
import { readCursor, writeCursor } from '../cursor.js';
import type { PetStore } from '../pet-store.js';

export function listPets(pets: PetStore): Handler<'listPets'> {
  return async ({ query: { limit, status, cursor } }, { links }) => {
    const afterId = cursor === undefined ? 0 : readCursor(cursor, status);
    const page = await pets.list({ limit, status, afterId });
    if (page.lastId === undefined) return { status: 200, body: page.pets };
    const next = links.to('listPets', {}, { limit, status, cursor: writeCursor(page.lastId, status) });
    return { status: 200, body: page.pets, headers: { Link: `<${String(next)}>; rel="next"` } };
  };
}
