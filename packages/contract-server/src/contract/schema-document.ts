import { findAt } from './json-pointer.js';

/** A schema of the contract, or one for Ajv. */
export type Schema = Readonly<Record<string, unknown>>;

/** A document whose schemas are compiled, of any version. */
export interface SchemaDocument {
  readonly openapi: string;
  readonly components?: { readonly schemas?: object };
}

/** The keywords that a schema has: in OpenAPI 3.0, a reference has no siblings (3.0.4, section 4.7.23). */
export function keywordsOf({ openapi }: Pick<SchemaDocument, 'openapi'>, schema: Schema): Schema {
  const { $ref } = schema;
  return $ref !== undefined && openapi.startsWith('3.0') ? { $ref } : schema;
}

/** The keywords of a schema, and of each schema that applies to the same values by `$ref` and `allOf`. */
export function conjunctsOf(document: SchemaDocument, schema: Schema): readonly Schema[] {
  const found = new Set<unknown>([schema]);
  const conjuncts: Schema[] = [];
  for (const each of found) {
    if (typeof each !== 'object' || each === null) continue;
    const keywords = keywordsOf(document, each as Schema);
    conjuncts.push(keywords);
    const { $ref, allOf = [] } = keywords as { readonly $ref?: string; readonly allOf?: readonly unknown[] };
    if ($ref !== undefined) found.add(findAt(document, $ref));
    for (const part of allOf) found.add(part);
  }
  return conjuncts;
}
