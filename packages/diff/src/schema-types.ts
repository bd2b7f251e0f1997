import type { Choice, Parts, SchemaReader } from './schema-parts.js';

/** The types of JSON, as bits of a set: a number is an integer or has a fraction. */
export const types = { null: 1, boolean: 2, object: 4, array: 8, string: 16, integer: 32, fraction: 64 } as const;
export const anyType = 127;
export const numbers = types.integer | types.fraction;

const sets: Readonly<Record<string, number>> = { ...types, number: numbers };

/** The types that the branches of a choice allow. */
const known = new WeakMap<Choice, number>();

/** The types of the values that a schema may allow: of `type`, `enum`, `const`, and of branches. */
export function typesOf(reader: SchemaReader, parts: Parts): number {
  return parts.reduce((set, { keywords, choices }) => {
    const own = set & declared(keywords['type']) & ofValues(keywords);
    return choices.reduce((all, choice) => all & ofChoice(reader, choice), own);
  }, anyType);
}

function ofChoice(reader: SchemaReader, choice: Choice): number {
  const found = known.get(choice);
  if (found !== undefined) return found;
  // A branch that consists of the choice allows no others.
  known.set(choice, 0);
  const set = choice.branches.reduce((all, { schema }) => all | typesOf(reader, reader.partsOf(schema)), 0);
  known.set(choice, set);
  return set;
}

/** The type of a value. */
export function typeOf(value: unknown): number {
  if (typeof value === 'number') return Number.isInteger(value) ? types.integer : types.fraction;
  if (typeof value === 'bigint') return types.integer;
  if (value === null) return types.null;
  if (Array.isArray(value)) return types.array;
  return sets[typeof value] ?? anyType;
}

/** The names of a set of types. */
export function namesOf(set: number): readonly string[] {
  const names = Object.entries(types)
    .filter(([, bit]) => (set & bit) !== 0)
    .map(([name]) => name);
  const isNumber = (set & types.fraction) !== 0;
  return names.filter((name) => !isNumber || name !== 'integer').map((name) => (name === 'fraction' ? 'number' : name));
}

/** The single types of a set. */
export function bitsOf(set: number): readonly number[] {
  return Object.values(types).filter((bit) => (set & bit) !== 0);
}

function declared(type: unknown): number {
  if (type === undefined) return anyType;
  return ([type].flat() as string[]).reduce((set, name) => set | (sets[name] ?? 0), 0);
}

function ofValues({ enum: values, const: value }: Readonly<Record<string, unknown>>): number {
  const ofEnum = Array.isArray(values) ? values.reduce<number>((set, each) => set | typeOf(each), 0) : anyType;
  return value === undefined ? ofEnum : ofEnum & typeOf(value);
}
