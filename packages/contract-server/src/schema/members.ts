import type { JoinKeyword, Node, SchemaJoins } from './schema-joins.js';

/** Which fields of an object, or items of an array, a schema declares. */
export interface Members {
  /** Whether members that are not declared are allowed because the schema, or a branch of it, declares none. */
  readonly isFree: boolean;
  /** The names of the properties. */
  readonly names: readonly string[];
  /** The number of the first items, each of which has a schema of its own. */
  readonly places: number;
  /** The patterns of names with their schemas. */
  readonly patterns: readonly (readonly [pattern: string, node: Node])[];
  /** The schemas of fields of any other name. */
  readonly rests: readonly Rest[];
  /** The schema of a field or an item; `undefined` if it is not declared. */
  readonly find: (name: string | number) => Node | undefined;
}

/** The schema of the fields that have none of the names. */
export interface Rest {
  readonly node: Node;
  readonly names: readonly string[];
  readonly patterns: readonly string[];
}

/** The members of values of a schema; `undefined` if no value of it is an object or an array. */
export interface ValueMembers {
  readonly fields: Members | undefined;
  readonly items: Members | undefined;
}

/** Of a schema that declares no members. */
export const free: Members = { isFree: true, names: [], places: 0, patterns: [], rests: [], find: () => undefined };

/** Members that remember the schema of each declared name, and that of all others. */
export function createMembers(members: Members): Members {
  return { ...members, find: remember(members, members.find) };
}

/** A function that remembers its results, of all names that are not declared one: no pattern distinguishes these. */
export function remember<Result>(
  { names, places, patterns }: Pick<Members, 'names' | 'places' | 'patterns'>,
  find: (name: string | number) => Result,
): (name: string | number) => Result {
  const declared = new Set(names);
  const known = new Map<string | number, Result>();
  let other: { readonly result: Result } | undefined;
  return (name) => {
    const found = known.get(name);
    if (found !== undefined) return found;
    if (typeof name === 'number' ? name >= places : !declared.has(name))
      return patterns.length > 0 ? find(name) : (other ??= { result: find(name) }).result;
    const result = find(name);
    known.set(name, result);
    return result;
  };
}

/** The members of a schema that consists of others: of all (`allOf`), or of any one (`anyOf`). */
export function combineMembers(
  joins: SchemaJoins,
  keyword: JoinKeyword,
  all: readonly (Members | undefined)[],
): Members | undefined {
  const parts = all.filter((part) => part !== undefined);
  if (parts.length === 0 || (keyword === 'allOf' && parts.length < all.length)) return undefined;
  const declaring = parts.filter((part) => part !== free);
  const [first = free] = declaring;
  if (declaring.length === 0 || (declaring.length === 1 && (keyword === 'allOf' || parts.length === 1))) return first;
  const isFree = keyword === 'allOf' ? parts.every((part) => part.isFree) : parts.some((part) => part.isFree);
  return createMembers({
    isFree,
    names: [...new Set(declaring.flatMap(({ names }) => names))],
    places: Math.max(...declaring.map(({ places }) => places)),
    patterns: declaring.flatMap(({ patterns }) => patterns),
    rests: declaring.flatMap(({ rests }) => rests),
    find: (name) => {
      const found = declaring.map(({ find }) => find(name)).filter((node) => node !== undefined);
      // A branch without members allows any value of those that another branch declares.
      return joins.join(keyword, isFree && keyword === 'anyOf' && found.length > 0 ? [...found, true] : found);
    },
  });
}

/**
 * Members with the names that each object must have but nothing declares: without them, no object would be valid. They
 * stay undeclared where other fields are forbidden.
 */
export function withRequired(members: Members | undefined, required: () => readonly string[]): Members | undefined {
  if (members === undefined || members.isFree || members.rests.some(({ node }) => node === false)) return members;
  const undeclared = new Set(required().filter((name) => members.find(name) === undefined));
  if (undeclared.size === 0) return members;
  const { names, find } = members;
  return createMembers({
    ...members,
    names: [...names, ...undeclared],
    find: (name) => find(name) ?? (undeclared.has(String(name)) || undefined),
  });
}

/** Members with the schema of those that nothing else declares. */
export function withUnevaluated(members: Members | undefined, node: Node | undefined): Members | undefined {
  if (members === undefined || node === undefined) return members;
  const { names, patterns, rests, find } = members;
  const rest = { node, names, patterns: patterns.map(([pattern]) => pattern) };
  return createMembers({
    ...members,
    isFree: false,
    rests: [...rests, rest],
    find: (name) => find(name) ?? (node === false ? undefined : node),
  });
}
