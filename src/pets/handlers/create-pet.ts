import type { Handler } from '../../contract.js';
import { toJson } from '../columns.js';
import type { IdempotentCreation } from '../idempotent-creation.js';

export function createPet(creations: IdempotentCreation): Handler<'createPet'> {
  return async ({ header, body: pet }, context) => {
    const { id, kind } = await creations.create(pet, header['idempotency-key'], context);
    const location = context.links.to('getPet', { petId: id });
    // A replayed request has the same body, so its response is created in the same way.
    const body = toJson(id, pet);
    const headers: Record<string, string> = {};
    if (location !== undefined) headers['Location'] = location;
    if (kind === 'replayed') headers['Idempotent-Replayed'] = 'true';
    return { status: 201, body, headers };
  };
}
