import type { Schema, Schemas } from '../contract/schemas.js';
import { setMember } from '../json/object-members.js';
import { type MemberRules, memberRulesOf } from '../schema/member-rules.js';
import { free, type Members, remember, type ValueMembers } from '../schema/members.js';
import type { Node } from '../schema/schema-joins.js';
import { unionTagsOf } from '../schema/union-tags.js';

/** Returns a value without the fields that its schema does not declare; the value itself if it has none of these. */
export type ResponseFilter = (value: unknown) => unknown;

/**
 * Compiles filters of response bodies, each once, when it is first used. A filter drops the fields that an object's
 * schema does not declare, unless it allows additional properties or declares no properties at all. With `anyOf` and
 * `oneOf`, a field stays if any branch declares it; if a discriminator or a constant selects the branch, only if this
 * one does. Where a schema allows no object or no array, one has no members left. It validates nothing, and does not
 * change the value.
 *
 * Fields and items that are `writeOnly` are dropped, also if only another branch says so. Where a value must stay, as
 * the whole body and as one of `prefixItems`, it is null.
 */
export class ResponseFilters {
  private readonly rules: MemberRules;
  private readonly filters = new WeakMap<object, WeakMap<object, ResponseFilter>>();

  constructor(private readonly schemas: Schemas) {
    this.rules = memberRulesOf(schemas);
  }

  /** @param node a schema of the document, or one that refers to it. */
  of(node: Node): ResponseFilter {
    return this.within(node, node);
  }

  /** @param whole the schema with the branches that are not selected: it decides what is `writeOnly`. */
  private within(node: Node, whole: Node): ResponseFilter {
    if (this.rules.isMarked('writeOnly', whole)) return toNull;
    if (typeof node !== 'object') return node ? keep : dropMembers;
    const key = typeof whole === 'object' ? whole : node;
    const filters = this.filters.get(node) ?? new WeakMap<object, ResponseFilter>();
    this.filters.set(node, filters);
    const found = filters.get(key);
    if (found !== undefined) return found;
    const filter = this.compile(node, key);
    filters.set(key, filter);
    return filter;
  }

  private compile(schema: Schema, whole: Schema): ResponseFilter {
    const { $ref, ...siblings } = schema as { readonly $ref?: string };
    if ($ref !== undefined && isUnrestricted(this.rules.of(siblings))) {
      const target = this.schemas.at($ref) as Node;
      return this.within(target, whole === schema ? target : whole);
    }
    const filterAny = this.compileMembers(schema, whole);
    const selection = this.findSelection(schema, whole);
    if (selection === undefined) return filterAny;
    const { name, filters } = selection;
    return (value) => {
      if (typeof value !== 'object' || value === null) return value;
      const json = toJson(value);
      return (filters.get((json as Schema | null)?.[name]) ?? filterAny)(json);
    };
  }

  private compileMembers(schema: Schema, whole: Schema): ResponseFilter {
    const { fields, items } = this.rules.of(schema);
    const all = whole === schema ? { fields, items } : this.rules.of(whole);
    if (fields === undefined && items === undefined) return dropMembers;
    const filterFields = isFree(fields, all.fields) ? keep : this.compileFields(fields, all.fields);
    const filterItems = isFree(items, all.items) ? keep : this.compileItems(items, all.items);
    return filterFields === keep && filterItems === keep ? keep : byType(filterFields, filterItems);
  }

  private compileFields(fields: Members | undefined, all: Members | undefined): ResponseFilter {
    if (fields === undefined) return noFields;
    const findFilter = this.rememberFilters(fields, all, fields.isFree, 0);
    return (value) => filterFields(value as Record<string, unknown>, findFilter);
  }

  private compileItems(items: Members | undefined, all: Members | undefined): ResponseFilter {
    if (items === undefined) return noItems;
    const findFilter = this.rememberFilters(items, all, true, Math.max(items.places, all?.places ?? 0));
    return (value) => filterItems(value as readonly unknown[], findFilter);
  }

  /**
   * Returns a function that finds the filter of a member; `undefined` for one to drop.
   *
   * @param places how many of the first items are not dropped.
   */
  private rememberFilters(members: Members, all: Members | undefined, keepsOthers: boolean, places: number) {
    const declared = {
      names: [...members.names, ...(all?.names ?? [])],
      patterns: [...members.patterns, ...(all?.patterns ?? [])],
      places,
    };
    // Compiled with the first value, because a schema can contain itself.
    return remember(declared, (name) => {
      const node = members.find(name) ?? keepsOthers;
      const whole = all === members ? node : (all?.find(name) ?? node);
      const isMarked = this.rules.isMarked('writeOnly', whole);
      const isDropped = typeof name === 'string' ? isMarked || node === false : isMarked && name >= places;
      return isDropped ? undefined : this.within(node, whole);
    });
  }

  /** The filters of the branches of a schema, by the value of the field that selects one. */
  private findSelection(schema: Schema, whole: Schema) {
    const keyword = schema['oneOf'] === undefined && schema['anyOf'] !== undefined ? 'anyOf' : 'oneOf';
    const { [keyword]: _, discriminator, allOf = [], ...others } = schema;
    const branches = (schema[keyword] as readonly Node[] | undefined) ?? this.subtypesOf(schema);
    const union = schema[keyword] === undefined ? { oneOf: branches, discriminator } : schema;
    const tag = unionTagsOf(this.schemas).of(union, keyword);
    if (tag === undefined) return undefined;
    const filters = branches.map((branch) =>
      this.within({ ...others, allOf: [...(allOf as readonly Node[]), branch] }, whole),
    );
    const byTag = [...tag.branches].map(([value, index]) => [value, filters[index] ?? keep] as const);
    return { name: tag.name, filters: new Map<unknown, ResponseFilter>(byTag) };
  }

  /** The schemas that extend one with a `discriminator`, which lists no branches, by `allOf`. */
  private subtypesOf(schema: Schema): readonly Schema[] {
    if (schema['discriminator'] === undefined) return [];
    const extendsIt = ({ allOf = [] }: { readonly allOf?: readonly Schema[] }) =>
      allOf.some((part) => this.schemas.resolve(part) === schema);
    return Object.entries(this.schemas.named)
      .filter(([, each]) => extendsIt(each))
      .map(([name]) => ({ $ref: `#/components/schemas/${name}` }));
  }
}

const keep: ResponseFilter = (value) => value;
const toNull: ResponseFilter = () => null;
const noFields: ResponseFilter = () => ({});
const noItems: ResponseFilter = () => [];

function byType(filterFields: ResponseFilter, filterItems: ResponseFilter): ResponseFilter {
  return (value) => {
    if (typeof value !== 'object' || value === null) return value;
    const json = toJson(value);
    if (typeof json !== 'object' || json === null) return json;
    return Array.isArray(json) ? filterItems(json) : filterFields(json);
  };
}

/** Of a schema that allows neither objects nor arrays. */
const dropMembers = byType(noFields, noItems);

/** Finds the filter of a field or an item; `undefined` for one to drop. */
type FindFilter = (name: string | number) => ResponseFilter | undefined;

/** Whether every member stays: a union with a schema without members can have others that are `writeOnly`. */
function isFree(members: Members | undefined, all: Members | undefined): boolean {
  return members === free && all === free;
}

function isUnrestricted({ fields, items }: ValueMembers): boolean {
  return fields === free && items === free;
}

function filterFields(object: Readonly<Record<string, unknown>>, findFilter: FindFilter): object {
  const names = Object.keys(object);
  let copy: Record<string, unknown> | undefined;
  // An iterator of the indexes takes several times as long.
  for (let index = 0; index < names.length; index += 1) {
    const name = names[index] as string;
    const filter = findFilter(name);
    const filtered = filter?.(object[name]);
    if (copy === undefined && filter !== undefined && filtered === object[name]) continue;
    copy ??= copyOf(object, names.slice(0, index));
    if (filter !== undefined) setMember(copy, name, filtered);
  }
  return copy ?? object;
}

function filterItems(array: readonly unknown[], findFilter: FindFilter): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let index = 0; index < array.length; index += 1) {
    const filter = findFilter(index);
    const filtered = filter?.(array[index]);
    if (copy === undefined && filter !== undefined && filtered === array[index]) continue;
    copy ??= array.slice(0, index);
    if (filter !== undefined) copy.push(filtered);
  }
  return copy ?? array;
}

/** What `JSON.stringify` writes in place of an object: a plain object, for which it calls no `toJSON`. */
function toJson(value: object): unknown {
  if (!hasToJson(value)) return value;
  const json = value.toJSON();
  return typeof json === 'object' && json !== null && hasToJson(json) ? copyOf(json, Object.keys(json)) : json;
}

function hasToJson(value: object): value is { toJSON(): unknown } {
  return typeof (value as { readonly toJSON?: unknown }).toJSON === 'function';
}

function copyOf(object: object, names: readonly string[]): Record<string, unknown> {
  const copy = {};
  for (const name of names) setMember(copy, name, (object as Readonly<Record<string, unknown>>)[name]);
  return copy;
}
