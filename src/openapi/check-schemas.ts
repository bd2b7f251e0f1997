import type { LocationObject } from '@redocly/openapi-core';
import type { Oas3Rule } from '@redocly/openapi-core/lib/visitors.js';
import { createAjv, type SchemaDocument } from './create-ajv.js';

/** A schema that is not a part of another one. */
export interface CheckedSchema {
  readonly schema: object;
  readonly place: LocationObject;
}

type Mapping = Readonly<Record<string, string>>;

/** The members of a schema that the types or the validation would ignore. */
const unsupported = ['$id', '$anchor', '$schema', '$dynamicRef', '$dynamicAnchor'];

/** The places of schemas that are not a part of another one. */
const whole = /\/schema$|^#\/components\/schemas\/[^/]+$/;

/** A rule for each schema of the document, which also collects those that are not a part of another one. */
export function schemaRule(found: CheckedSchema[]): Oas3Rule {
  return () => ({
    Schema: (schema: { readonly discriminator?: { readonly mapping?: Mapping } }, context) => {
      const { location, rawLocation } = context;
      const isWhole = [location, rawLocation].some(({ pointer }) => whole.test(pointer));
      if (isWhole) found.push({ schema, place: location });
      for (const name of unsupported.filter((each) => each in schema)) {
        const message = `\`${name}\` is not supported; use $ref to a component or a file.`;
        context.report({ message, location: location.child([name]).key() });
      }
      // A value is a reference, or the name of a schema.
      for (const [name, $ref] of Object.entries(schema.discriminator?.mapping ?? {})) {
        if (!$ref.includes('#') || context.resolve({ $ref }).node !== undefined) continue;
        const message = `The mapping of ${name} leads to no schema.`;
        context.report({ message, location: location.child(['discriminator', 'mapping', name]) });
      }
    },
  });
}

/** Checks that each schema can be compiled. */
export function compileAll(document: SchemaDocument, schemas: readonly CheckedSchema[]) {
  const ajv = createAjv(document);
  return schemas.flatMap(({ schema, place }) => {
    try {
      ajv.compile(schema);
      return [];
    } catch (error) {
      return [{ place, message: `The schema is invalid: ${(error as Error).message}` }];
    }
  });
}
