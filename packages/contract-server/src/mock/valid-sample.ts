import type { Schema, Schemas } from '@contract-server/core/contract/schemas.js';
import type { ErrorObject } from 'ajv';
import { sample } from 'openapi-sampler';
import { expandSchema, placeOf } from './expand-schema.js';

/** How often a sample is corrected. */
const attemptsMax = 5;
/** How many schemas all attempts visit, before the last one. */
const visitedMax = 6000;
/** How many errors of a sample are corrected at a time. */
const errorsMax = 50;

/** Returns what is invalid in a value. */
export type FindErrors = (value: unknown) => readonly ErrorObject[];

export interface Sample {
  readonly value: unknown;
  /** The same value as XML, as the `xml` objects of the schema describe it (OpenAPI 3.1.1, section 4.8.26). */
  readonly toXml: () => string;
}

/**
 * Samples a schema of a response with openapi-sampler, which considers only some keywords. What is invalid in a sample
 * is replaced: examples by generated values, then alternatives by others, and fields that are not required are omitted.
 *
 * @returns `undefined` if no valid value is found.
 */
export function findValidSample(schemas: Schemas, schema: Schema, findErrors: FindErrors): Sample | undefined {
  let visited = 0;
  for (const isComplete of [true, false]) {
    const invalidExamples = new Set<string>();
    const failures = new Map<string, number>();
    const options = { hasExamples: isComplete, hasOptional: isComplete, invalidExamples, failures };
    for (let attempt = 1; attempt <= attemptsMax && visited < visitedMax; attempt += 1) {
      const expanded = expandSchema(schemas, schema, options);
      visited += expanded.visited;
      if (expanded.schema === undefined) break;
      const found = sampleOf(schemas, schema, expanded.schema);
      const errors = findErrors(found.value);
      if (errors.length === 0) return found;
      const places = errors.slice(0, errorsMax).map(({ instancePath }) => placeOf(instancePath));
      if (attempt === 1) for (const place of places) invalidExamples.add(place);
      else for (const place of outermostOf(places)) failures.set(place, (failures.get(place) ?? 0) + 1);
    }
  }
  return undefined;
}

/**
 * Samples a schema that has neither references nor alternatives.
 *
 * @param source the schema of the contract, which names the root of XML.
 */
export function sampleOf(schemas: Schemas, source: Schema, expanded: Schema): Sample {
  const { $ref } = source;
  const name = typeof $ref === 'string' ? $ref.slice($ref.lastIndexOf('/') + 1) : undefined;
  const { xml = name && { name } } = schemas.resolve(source);
  const write = (format: 'json' | 'xml') =>
    sample({ ...expanded, xml } as object, { quiet: true, maxSampleDepth: Infinity, format });
  return { value: write('json'), toXml: () => String(write('xml')) };
}

/** Those that are not within another one: errors of alternatives are also reported for what contains them. */
function outermostOf(places: readonly string[]): readonly string[] {
  return [...new Set(places)].filter((place) => !places.some((other) => place.startsWith(`${other}/`)));
}
