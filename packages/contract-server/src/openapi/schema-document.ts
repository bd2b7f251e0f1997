/** A document whose schemas are compiled, of any version. */
export interface SchemaDocument {
  readonly openapi: string;
  readonly components?: { readonly schemas?: object };
}
