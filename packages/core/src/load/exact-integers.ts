import * as yaml from 'js-yaml';
import { parseInt64 } from '../json/int64.js';

/** The types of YAML, which the declarations of js-yaml lack. */
const { int, ...types } = (yaml as unknown as { readonly types: Record<TypeName, yaml.Type> }).types;
type TypeName = 'int' | 'merge' | 'binary' | 'omap' | 'pairs' | 'set';

/** As parsers of JSON read it: a `bigint` for an integer of 64 bits beyond 2^53 − 1, a double for a greater one. */
const exactInt = new yaml.Type('tag:yaml.org,2002:int', {
  kind: 'scalar',
  resolve: (text: unknown) => int.resolve(text),
  construct: (text: string) => {
    const double = int.construct(text) as number;
    return Number.isSafeInteger(double) ? double : (parseInt64(text.replace(/^\+/, '')) ?? double);
  },
  predicate: (value) => typeof value === 'bigint' || int.predicate?.(value) === true,
  represent: String,
});

/** What Redocly reads and writes YAML by, with exact integers. */
export const exactSchema = yaml.JSON_SCHEMA.extend({
  implicit: [types.merge, exactInt],
  explicit: [types.binary, types.omap, types.pairs, types.set],
});

/** Whether a text can contain an integer beyond 2^53 − 1. */
const longNumber = /[0-9]{16}/;

/** The value of a YAML text that has been parsed before, with exact integers. */
export function parseExactYaml(text: string, value: unknown): unknown {
  return longNumber.test(text) ? yaml.load(text, { schema: exactSchema }) : value;
}

/** Writes YAML in which integers of any size are exact. */
export function stringifyExactYaml(value: unknown): string {
  return yaml.dump(value, { noRefs: true, schema: exactSchema });
}

/** A member of an object or an array. */
export interface ExactMember {
  readonly parent: Record<string, unknown>;
  readonly name: string;
  readonly value: bigint;
}

/**
 * The members that are a `bigint`, which are replaced by doubles in place, because the rules of Redocly do not support
 * `bigint`. The numbers of extensions remain doubles.
 */
export function takeExactMembers(root: unknown): ExactMember[] {
  const taken: ExactMember[] = [];
  const seen = new Set([root]);
  for (const node of seen) {
    if (typeof node !== 'object' || node === null) continue;
    const parent = node as Record<string, unknown>;
    for (const [name, value] of Object.entries(parent)) {
      seen.add(value);
      if (typeof value !== 'bigint') continue;
      parent[name] = Number(value);
      if (!name.startsWith('x-')) taken.push({ parent, name, value });
    }
  }
  return taken;
}

/** Lengths and numbers of items, where a double is no less exact. */
const count = /^(?:min|max)(?:Length|Items|Properties|Contains)$/;

/** Puts integers back in place. @param schemas those of the document. */
export function restoreExactMembers(members: readonly ExactMember[], schemas: readonly object[]): void {
  const all = new Set(schemas);
  for (const { parent, name, value } of members)
    if (parent[name] === Number(value) && !(all.has(parent) && count.test(name))) parent[name] = value;
}
