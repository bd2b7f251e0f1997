import { isAnnotation } from '@contract-server/core/schema/annotations.js';
import { compilePattern } from '@contract-server/core/schema/patterns.js';
import { type Direction, type Path, type Values, valuesOf } from './compared-document.js';
import type { Choice, Parts, SchemaReader } from './schema-parts.js';

/** The schema of a field, of other fields, or of items, as all parts of a schema together describe it. */
export interface Member {
  readonly parts: Parts;
  readonly path: Path;
  readonly written: unknown;
  /** Whether it is one of `properties`. */
  readonly isDeclared?: boolean;
}

/** The names in `properties`. */
export function fieldNames(parts: Parts): readonly string[] {
  return parts.flatMap(({ keywords }) => Object.keys(valuesOf(keywords['properties'])));
}

/** The schema of a field, by `properties`, `patternProperties` and `additionalProperties`. `undefined`: any value. */
export function fieldOf(reader: SchemaReader, parts: Parts, name: string): Member | undefined {
  const found = parts.flatMap(({ keywords, path }) => {
    const { properties, patternProperties, additionalProperties } = keywords;
    const own = valuesOf(properties);
    const declared = Object.hasOwn(own, name) ? [described(own[name], [...path, 'properties', name], true)] : [];
    const matching = Object.entries(valuesOf(patternProperties)).flatMap(([pattern, schema]) =>
      compilePattern(pattern)?.test(name) === true ? [described(schema, [...path, 'patternProperties', pattern])] : [],
    );
    const all = [...declared, ...matching];
    if (all.length > 0 || additionalProperties === undefined) return all;
    return [described(additionalProperties, [...path, 'additionalProperties'])];
  });
  return join(reader, found);
}

/** The schema of the names that a pattern matches, or that nothing else describes. `undefined`: any value. */
export function restOf(reader: SchemaReader, parts: Parts, pattern?: string): Member | undefined {
  const found = parts.flatMap(({ keywords, path }) => {
    const patterns = valuesOf(keywords['patternProperties']);
    if (pattern !== undefined && Object.hasOwn(patterns, pattern))
      return [described(patterns[pattern], [...path, 'patternProperties', pattern])];
    const { additionalProperties } = keywords;
    return additionalProperties === undefined
      ? []
      : [described(additionalProperties, [...path, 'additionalProperties'])];
  });
  return join(reader, found);
}

/** The schema of the item at an index, or of those after `prefixItems`. `undefined`: any value. */
export function itemOf(reader: SchemaReader, parts: Parts, index?: number): Member | undefined {
  const found = parts.flatMap(({ keywords: { prefixItems, items }, path }) => {
    const prefix = (prefixItems ?? []) as readonly unknown[];
    if (index !== undefined && index < prefix.length)
      return [described(prefix[index], [...path, 'prefixItems', index])];
    return items === undefined ? [] : [described(items, [...path, 'items'])];
  });
  return join(reader, found);
}

/** Whether a field is no part of requests, or of responses, also by one branch of a schema. */
export function isHidden(
  reader: SchemaReader,
  parts: Parts,
  direction: Direction,
  within: readonly Choice[] = [],
): boolean {
  const mark = direction === 'request' ? 'readOnly' : 'writeOnly';
  return parts.some(({ keywords, choices }) => {
    if (keywords[mark] === true) return true;
    const others = choices.filter((choice) => !within.includes(choice));
    return others.some((choice) =>
      choice.branches.some(({ schema }) => isHidden(reader, reader.partsOf(schema), direction, [...within, choice])),
    );
  });
}

/** Whether a schema allows every value. */
function isFree(parts: Parts): boolean {
  return parts.every(
    ({ keywords, choices }) => choices.length === 0 && Object.keys(keywords).every((name) => isAnnotation(name)),
  );
}

/** The schema that a keyword of each part contains. `undefined`: any value. */
export function joined(
  reader: SchemaReader,
  parts: Parts,
  schemaIn: (keywords: Values) => unknown,
  at: Path,
): Member | undefined {
  const found = parts.flatMap(({ keywords, path }) => {
    const schema = schemaIn(keywords);
    return schema === undefined ? [] : [described(schema, [...path, ...at])];
  });
  return join(reader, found);
}

interface Described {
  readonly schema: unknown;
  readonly path: Path;
  readonly isDeclared: boolean;
}

function described(schema: unknown, path: Path, isDeclared = false): Described {
  return { schema, path, isDeclared };
}

function join(reader: SchemaReader, found: readonly Described[]): Member | undefined {
  const [first] = found;
  if (first === undefined) return undefined;
  const parts = found.flatMap(({ schema }) => reader.partsOf(schema));
  const isDeclared = found.some((each) => each.isDeclared);
  if (isFree(parts) && !isDeclared) return undefined;
  return { parts, path: first.path, written: first.schema, isDeclared };
}
