import type { OpenAPIV3 } from 'openapi-types';
import { type ContractDocument, resolve } from '../openapi/document.js';
import {
  createNdjsonValidator,
  createSchemaValidator,
  type NdjsonValidator,
  requireBodyRule,
} from '../openapi/ndjson-validator.js';
import type { ImportedPet } from './pet-store.js';

/**
 * The maximum id of an imported pet. Ids assigned later follow the greatest and must stay below 2^53, so half of them
 * remain.
 */
const importedIdMax = 2 ** 52;

/** Validates the lines of an import: the body of createPet and, if `withIds`, the id of the pet, up to 2^52. */
export function createPetValidator(document: ContractDocument, withIds: boolean): NdjsonValidator<ImportedPet> {
  if (!withIds) return createNdjsonValidator(document, 'createPet');
  const rule = requireBodyRule(document, 'createPet');
  const newPet = resolve<OpenAPIV3.SchemaObject>(document, rule.schema);
  const pet = resolve<OpenAPIV3.SchemaObject>(document, { $ref: '#/components/schemas/Pet' });
  const schema = {
    ...newPet,
    required: ['id', ...(newPet.required ?? [])],
    properties: { id: { ...pet.properties?.['id'], maximum: importedIdMax }, ...newPet.properties },
  };
  return createSchemaValidator(schema, rule, document.components);
}
