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
