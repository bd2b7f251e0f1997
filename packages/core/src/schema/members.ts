import type { Node, SchemaJoins } from './schema-joins.js';

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

/** The members of a schema whose parts all apply (`allOf`). One that allows no members leaves none. */
export function membersOfAll(joins: SchemaJoins, parts: readonly (Members | undefined)[]): Members | undefined {
  const all = parts.filter((part) => part !== undefined);
  if (all.length === 0 || all.length < parts.length) return undefined;
  const declaring = all.filter((part) => part !== free);
  const [first = free] = declaring;
  if (declaring.length < 2) return first;
  const isFree = all.every((part) => part.isFree);
  return combineMembers(declaring, isFree, (nodes) => joins.all(nodes));
}

/** The members of a schema one of whose branches applies (`anyOf`). */
export function membersOfAny(joins: SchemaJoins, branches: readonly (Members | undefined)[]): Members | undefined {
  const all = branches.filter((branch) => branch !== undefined);
  if (all.length < 2) return all[0];
  const declaring = all.filter((branch) => branch !== free);
  if (declaring.length === 0) return free;
  const isFree = all.some((branch) => branch.isFree);
  // A branch without members allows any value of those that another branch declares.
  const join = (nodes: readonly Node[]) => joins.any(isFree && nodes.length > 0 ? [...nodes, true] : nodes);
  return combineMembers(declaring, isFree, join);
}

/** @param join the schema of a member that several parts declare. */
function combineMembers(
  parts: readonly Members[],
  isFree: boolean,
  join: (nodes: readonly Node[]) => Node | undefined,
): Members {
  return createMembers({
    isFree,
    names: [...new Set(parts.flatMap(({ names }) => names))],
    places: Math.max(...parts.map(({ places }) => places)),
    patterns: parts.flatMap(({ patterns }) => patterns),
    rests: parts.flatMap(({ rests }) => rests),
    find: (name) => join(parts.map(({ find }) => find(name)).filter((node) => node !== undefined)),
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
