import type { LocationObject, Oas3_1Schema, Oas3Schema } from '@redocly/openapi-core';
import type { Location } from '@redocly/openapi-core/lib/ref-utils.js';
import type { Oas3Rule } from '@redocly/openapi-core/lib/visitors.js';
import type { UserContext } from '@redocly/openapi-core/lib/walk.js';
import { createAjv, type SchemaDocument } from './create-ajv.js';

/** A schema of the document, or a part of another one. */
export interface CheckedSchema {
  readonly schema: object;
  readonly place: Location;
}

/** A problem of the document, or of another file of it. */
export interface LocatedProblem {
  readonly message: string;
  readonly place: LocationObject;
}

/** The members of a schema that the types or the validation would ignore. */
const unsupported = ['$id', '$anchor', '$schema', '$dynamicRef', '$dynamicAnchor'];

/** A rule for each schema of the document, which also collects them, the parts of a schema before itself. */
export function schemaRule(found: CheckedSchema[]): Oas3Rule {
  return () => ({
    Schema: {
      enter: reportUnsupported,
      leave: (schema: object, { location: place }) => void found.push({ schema, place }),
    },
    // In OpenAPI 3.1, a reference is a schema that can have other keywords.
    ref: (schema, { type, location: place }) => {
      if (type.name === 'Schema' && Object.keys(schema).length > 1) found.push({ schema, place });
    },
  });
}

function reportUnsupported(schema: Oas3Schema | Oas3_1Schema, context: UserContext): void {
  const { location } = context;
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
}

/** Finds the smallest schemas that cannot be compiled. Empties them, so that those that contain them can. */
export function compileAll(document: SchemaDocument, schemas: readonly CheckedSchema[]) {
  let ajv = createAjv(document);
  const problemOf = ({ schema, place }: CheckedSchema) => {
    try {
      ajv.compile(schema);
      return [];
    } catch (error) {
      return [{ place, message: `The schema is invalid: ${(error as Error).message}`, schema }];
    }
  };
  return schemas.flatMap((each) => {
    const problems = problemOf(each);
    for (const { schema } of problems) {
      for (const name of Object.keys(schema)) Reflect.deleteProperty(schema, name);
      ajv = createAjv(document);
    }
    return problems;
  });
}
