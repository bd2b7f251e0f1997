import type { Schema } from '@contract-server/core/contract/schemas.js';
import { compilePattern } from '@contract-server/core/schema/patterns.js';
import { mergeSchemas } from './merge-schemas.js';
import { sampleText } from './sample-text.js';

/** A schema of objects, without references and alternatives. */
export type ObjectSchema = Schema & {
  readonly properties?: Schema;
  readonly patternProperties?: Schema;
  readonly additionalProperties?: unknown;
  readonly required?: readonly string[];
  readonly dependentRequired?: Readonly<Record<string, readonly string[]>>;
  readonly minProperties?: number;
  readonly maxProperties?: number;
};

/** The schema of a field: that of its name and those of the patterns that match it, otherwise that of other fields. */
export function fieldSchema(
  { properties = {}, patternProperties = {}, additionalProperties }: ObjectSchema,
  name: string,
) {
  const own = Object.hasOwn(properties, name) ? [properties[name]] : [];
  const matching = Object.entries(patternProperties).filter(([pattern]) => compilePattern(pattern)?.test(name));
  const all = [...own, ...matching.map(([, schema]) => schema)];
  return all.length > 1 ? { allOf: all } : all.length === 1 ? all[0] : additionalProperties;
}

/** Names, and those that `dependentRequired` requires with them. */
export function withDependent({ dependentRequired = {} }: ObjectSchema, names: readonly string[]): ReadonlySet<string> {
  const all = new Set(names);
  // A set also visits what is added meanwhile.
  for (const name of all)
    if (Object.hasOwn(dependentRequired, name)) for (const each of dependentRequired[name] ?? []) all.add(each);
  return all;
}

/** Whether a schema describes the fields of a map, which have any names. */
export function isMap({ properties = {}, patternProperties = {}, additionalProperties }: ObjectSchema): boolean {
  const hasFields = typeof additionalProperties === 'object' || Object.keys(patternProperties).length > 0;
  return Object.keys(properties).length === 0 && hasFields;
}

/**
 * Names of fields that a schema does not name, at most `count`.
 *
 * @param names the schema of names, without references. @param taken the names that are not used.
 */
export function additionalNames(schema: ObjectSchema, names: Schema, count: number, taken: ReadonlySet<string>) {
  const nameAt = namesOf(schema, names);
  const found = new Set<string>();
  for (let index = 0; found.size < count && index < 2 * (count + taken.size); index += 1) {
    const name = nameAt(index);
    if (typeof name !== 'string') break;
    if (!taken.has(name)) found.add(name);
  }
  return [...found];
}

/** Returns names by index: those that are listed, those of a pattern, or any. */
function namesOf({ patternProperties = {}, additionalProperties }: ObjectSchema, names: Schema) {
  const { const: only, enum: listed = [only] } = names as {
    readonly const?: unknown;
    readonly enum?: readonly unknown[];
  };
  if (listed[0] !== undefined) return (index: number) => listed[index];
  const [pattern] = typeof additionalProperties === 'object' ? [] : Object.keys(patternProperties);
  const named = pattern === undefined ? names : (mergeSchemas(names, { pattern }) ?? names);
  const isAny = Object.keys(named).length === 0;
  return (index: number) => (isAny ? `property${String(index + 1)}` : sampleText(named, index));
}
