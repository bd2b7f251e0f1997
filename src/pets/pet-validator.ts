import type { OpenAPIV3 } from 'openapi-types';
import { type ContractDocument, requireBodyRule } from '../openapi/document.js';
import { createSchemaValidator, type NdjsonValidator } from '../openapi/ndjson-validator.js';
import { resolve } from '../openapi/operations.js';
import type { ImportedPet } from './pet-store.js';

/**
 * The maximum id of an imported pet. Ids assigned later follow the greatest and must stay below 2^53, so half of them
 * remain.
 */
const importedIdMax = 2 ** 52;

/**
 * Validates the lines of an import: a line is valid if and only if createPet accepts it as its body. If `withIds`, it
 * also has the id of the pet, up to 2^52.
 */
export function createPetValidator(document: ContractDocument, withIds: boolean): NdjsonValidator<ImportedPet> {
  const rule = requireBodyRule(document, 'createPet');
  const newPet = resolve<OpenAPIV3.SchemaObject>(document, rule.schema);
  const pet = resolve<OpenAPIV3.SchemaObject>(document, { $ref: '#/components/schemas/Pet' });
  const withId = {
    ...newPet,
    required: ['id', ...(newPet.required ?? [])],
    properties: { id: { ...pet.properties?.['id'], maximum: importedIdMax }, ...newPet.properties },
  };
  return createSchemaValidator(withIds ? withId : newPet, rule.bytesMax, document);
}
