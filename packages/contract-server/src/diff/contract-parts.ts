import { findAt } from '../openapi/json-pointer.js';

/** The names and indexes that lead to a part of a contract. */
export type Path = readonly Key[];

/** A part of both contracts. References to schemas are replaced with `{}`, because their targets are parts too. */
export interface Part {
  readonly path: Path;
  readonly before: unknown;
  readonly after: unknown;
}

type Pair = readonly [before: unknown, after: unknown];
type Key = string | number;
type Entry = readonly [key: Key, value: unknown];
type Values = Readonly<Record<string, unknown>>;

/** What may refer to itself, or is used in many places. */
const sharedReference = /^#\/components\/(schemas|callbacks|pathItems)\//;
const componentReference = /^#\/components\//;

/**
 * Splits two contracts at their references to schemas, so that schemas may be circular, and a schema that many
 * operations use is compared once for each context. The first part is the whole contract; a schema is at its first use.
 *
 * @param contextOf what a change of a schema depends on at a path, such as whether it describes a request.
 */
export function splitContracts(released: object, current: object, contextOf: (path: Path) => string): readonly Part[] {
  const parts: Part[] = [];
  const queue: Part[] = [{ path: [], before: withoutComponents(released), after: withoutComponents(current) }];
  const queued = new Set<string>();
  const splitChild = (before: unknown, after: unknown, path: Path): Pair => {
    // The schemas of an `allOf` are merged before they are compared.
    const isMerged = path.at(-2) === 'allOf' && typeof path.at(-1) === 'number';
    if (isMerged || !(isShared(before) || isShared(after))) return split(before, after, path);
    const key = JSON.stringify([contextOf(path), before, after]);
    if (!queued.has(key)) queue.push({ path, before, after });
    queued.add(key);
    return [{}, {}];
  };
  const split = (before: unknown, after: unknown, path: Path): Pair => {
    const [one, other] = [targetOf(released, before), targetOf(current, after)];
    if (!isObject(one) || !isObject(other) || Array.isArray(one) !== Array.isArray(other))
      return [expand(released, one), expand(current, other)];
    const { kept, removed, added } = match(entriesOf(released, one, path), entriesOf(current, other, path));
    const olds: Entry[] = removed.map((key) => [key, expand(released, one[key])]);
    const news: Entry[] = added.map((key) => [key, expand(current, other[key])]);
    for (const [oldKey, newKey] of kept) {
      const [old, new_] = splitChild(one[oldKey], other[newKey], [...path, oldKey]);
      olds.push([oldKey, old]);
      news.push([newKey, new_]);
    }
    return [assemble(one, olds), assemble(other, news)];
  };
  // The queue grows while it is processed.
  for (const { path, before, after } of queue) {
    const [old, new_] = split(before, after, path);
    parts.push({ path, before: old, after: new_ });
  }
  return parts;
}

/** Omits components, which are compared where they are used: only their use determines the effect of a change. */
function withoutComponents(document: object): object {
  const { securitySchemes = {} } = ((document as Values)['components'] ?? {}) as Values;
  return { ...document, components: { securitySchemes } };
}

function isObject(node: unknown): node is Values {
  return typeof node === 'object' && node !== null;
}

function isShared(node: unknown): boolean {
  if (!isObject(node)) return false;
  const { $ref, allOf } = node;
  return typeof $ref === 'string' ? sharedReference.test($ref) : Array.isArray(allOf) && allOf.some(isShared);
}

/** Follows references, and replaces an `allOf` of one schema with that schema. */
function targetOf(document: object, node: unknown): unknown {
  if (!isObject(node) || Array.isArray(node)) return node;
  const { $ref, ...siblings } = node;
  if (typeof $ref === 'string' && componentReference.test($ref)) {
    const target = targetOf(document, findAt(document, $ref));
    // In OpenAPI 3.0, a reference has no siblings (section 4.7.23).
    return String((document as Values)['openapi']).startsWith('3.0.') ? target : merge(target, siblings);
  }
  const { allOf, ...rest } = node;
  return Array.isArray(allOf) && allOf.length === 1 ? merge(targetOf(document, allOf[0]), rest) : node;
}

function merge(target: unknown, siblings: Values): unknown {
  return Object.keys(siblings).length === 0 ? target : { ...(target as object), ...siblings };
}

/** Expands a value that the other contract lacks. Only its own references are followed: deeper ones may be circular. */
function expand(document: object, node: unknown): unknown {
  const target = targetOf(document, node);
  if (target !== node || !isObject(node)) return target;
  if (Array.isArray(node)) return node.map((item) => expand(document, item));
  return Object.fromEntries(Object.entries(node).map(([name, value]) => [name, expand(document, value)]));
}

/** The keys of a node, each with what identifies its value. Items of arrays are identified if their order is free. */
function entriesOf(document: object, node: Values, path: Path): Entry[] {
  if (Array.isArray(node)) return node.map((item: unknown, index) => [index, identityOf(document, item)]);
  const place = path.length === 1 ? path[0] : path.at(-1);
  return Object.keys(node).map((name) => {
    // A parameter of a path, or of a media type, may get another name.
    if (place === 'paths') return [name, name.replace(/\{[^}]*\}/g, '{}')];
    return [name, place === 'content' ? name.replace(/;.*/, '') : name];
  });
}

function identityOf(document: object, item: unknown): unknown {
  const { $ref } = isObject(item) ? item : ({} as Values);
  const { name, in: place } = (targetOf(document, item) ?? {}) as Values;
  return typeof name === 'string' && typeof place === 'string' ? `${place} ${name}` : $ref;
}

/** Pairs the keys of both nodes: those with the same identity, then items of arrays in their order. */
function match(before: readonly Entry[], after: readonly Entry[]) {
  const added = new Map(after);
  const kept = new Map<Key, Key>();
  const pair = (key: Key, isPartner: (entry: Entry) => boolean) => {
    const [partner] = [...added].find(isPartner) ?? [];
    if (partner === undefined) return;
    kept.set(key, partner);
    added.delete(partner);
  };
  for (const [key, identity] of before) if (identity !== undefined) pair(key, ([, other]) => other === identity);
  for (const [key] of before) if (typeof key === 'number' && !kept.has(key)) pair(key, () => true);
  const removed = before.map(([key]) => key).filter((key) => !kept.has(key));
  return { kept, removed, added: [...added.keys()] };
}

function assemble(node: Values, entries: readonly Entry[]): unknown {
  const values = Object.fromEntries(entries);
  return Array.isArray(node) ? node.map((_, index) => values[index]) : values;
}
