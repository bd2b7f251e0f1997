import type { Oas3_1Schema, Oas3Schema } from '@redocly/openapi-core';
import type { Location } from '@redocly/openapi-core/lib/ref-utils.js';
import type { Oas3Rule } from '@redocly/openapi-core/lib/visitors.js';
import type { UserContext } from '@redocly/openapi-core/lib/walk.js';
import type { Schemas } from '../contract/schemas.js';
import { createPass } from '../schema/create-ajv.js';
import { emptySchema } from './broken-parts.js';
import type { LocatedProblem } from './problem-lines.js';

/** A schema of the document, or a part of another one. */
export interface CheckedSchema {
  readonly schema: object;
  readonly place: Location;
  /** Whether it was found within another one, also by a reference. */
  readonly isInner: boolean;
}

/** The dialects of JSON Schema that OpenAPI 3.1 uses (3.1.1, section 4.8.24.1). */
const dialect = /^https:\/\/(?:json-schema\.org\/draft\/2020-12\/schema|spec\.openapis\.org\/oas\/3\.1\/dialect\/\S+)$/;

/** A rule for each schema of the document, which also collects them, the parts of a schema before itself. */
export function schemaRule(found: CheckedSchema[]): Oas3Rule {
  let depth = 0;
  return () => ({
    Root: ({ jsonSchemaDialect }: { readonly jsonSchemaDialect?: unknown }, context) =>
      checkDialect('jsonSchemaDialect', jsonSchemaDialect, context),
    Schema: {
      enter: (schema: Oas3Schema | Oas3_1Schema, context: UserContext) => {
        depth += 1;
        checkSchema(schema, context);
      },
      leave: (schema: object, { location: place }) => {
        depth -= 1;
        found.push({ schema, place, isInner: depth > 0 });
      },
    },
    // In OpenAPI 3.1, a reference is a schema that can have other keywords.
    ref: (schema, { type, location: place }) => {
      if (type.name === 'Schema' && Object.keys(schema).length > 1) found.push({ schema, place, isInner: depth > 0 });
    },
  });
}

function checkSchema(schema: Oas3Schema | Oas3_1Schema, context: UserContext): void {
  const { location } = context;
  checkDialect('$schema', (schema as { readonly $schema?: unknown }).$schema, context);
  if ('$dynamicRef' in schema) {
    const message = '`$dynamicRef` is not supported; use $ref to a component or a file.';
    context.report({ message, location: location.child(['$dynamicRef']).key() });
  }
  // A value is a reference, or the name of a schema.
  for (const [name, $ref] of Object.entries(schema.discriminator?.mapping ?? {})) {
    if (!$ref.includes('#') || context.resolve({ $ref }).node !== undefined) continue;
    const message = `The mapping of ${name} leads to no schema.`;
    context.report({ message, location: location.child(['discriminator', 'mapping', name]) });
  }
}

function checkDialect(name: string, value: unknown, context: UserContext): void {
  if (typeof value !== 'string' || dialect.test(value.replace(/#$/, ''))) return;
  const message = `The dialect ${value} is not supported; use https://json-schema.org/draft/2020-12/schema.`;
  context.report({ message, location: context.location.child([name]) });
}

/** Finds the smallest schemas that cannot be compiled. Empties them, so that those that contain them can. */
export function compileAll(schemas: Schemas, checked: readonly CheckedSchema[]): LocatedProblem[] {
  let compile = createCompiler(schemas);
  // Compiling a schema compiles all of its parts.
  if (checked.every(({ schema, isInner }) => isInner || problemOf(() => compile(schema)) === undefined)) return [];
  return checked.flatMap(({ schema, place }) => {
    const reason = problemOf(() => compile(schema));
    if (reason === undefined) return [];
    emptySchema(schema);
    compile = createCompiler(schemas);
    return [{ place, message: `The schema is invalid: ${reason}` }];
  });
}

function problemOf(compile: () => void): string | undefined {
  try {
    compile();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Compiles code that is never run, as fast as possible. */
function createCompiler(schemas: Schemas): (schema: object) => void {
  const options = { code: { optimize: false } };
  const { compile } = createPass({ schemas, options });
  return (schema) => void compile(schema);
}
