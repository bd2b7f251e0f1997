import { tagsOf } from './ajv-schema.js';
import type { SchemaDocument } from './create-ajv.js';
import type { Schema } from './exact-number.js';
import { findAt } from './json-pointer.js';
import { MemberRules, type Members, type Node, type ValueMembers } from './member-rules.js';
import { resolve } from './operations.js';

/** Returns a value without the fields that its schema does not declare; the value itself if it has none of these. */
export type ResponseFilter = (value: unknown) => unknown;

/**
 * Compiles filters of response bodies, each once, when it is first used. A filter drops the fields that an object's
 * schema does not declare, unless it allows additional properties or declares no properties at all, and those that are
 * `writeOnly`. With `anyOf` and `oneOf`, a field stays if any branch declares it; if a discriminator or a constant
 * selects the branch, only if this one does. Where a schema allows no object or no array, one has no members left. It
 * validates nothing, and does not change the value.
 */
export class ResponseFilters {
  private readonly rules: MemberRules;
  private readonly filters = new WeakMap<object, ResponseFilter>();

  constructor(private readonly document: SchemaDocument) {
    this.rules = new MemberRules(document);
  }

  /** @param node a schema of the document, or one that refers to it. */
  of(node: Node): ResponseFilter {
    if (typeof node !== 'object') return node ? keep : dropMembers;
    const found = this.filters.get(node);
    if (found !== undefined) return found;
    const filter = this.compile(node);
    this.filters.set(node, filter);
    return filter;
  }

  private compile(schema: Schema): ResponseFilter {
    const { $ref, ...siblings } = schema as { readonly $ref?: string };
    if ($ref !== undefined && isUnrestricted(this.rules.of(siblings)))
      return this.of(findAt(this.document, $ref) as Node);
    const filterAny = this.compileMembers(schema);
    const selection = this.findSelection(schema);
    if (selection === undefined) return filterAny;
    const { name, filters } = selection;
    return (value) => {
      if (typeof value !== 'object' || value === null) return value;
      const json = toJson(value);
      return (filters.get((json as Schema | null)?.[name]) ?? filterAny)(json);
    };
  }

  private compileMembers(schema: Schema): ResponseFilter {
    const { fields, items } = this.rules.of(schema);
    if (fields === undefined && items === undefined) return dropMembers;
    const filterFields = isRestricted(fields) ? this.compileFields(fields) : keepOrDrop(fields, noFields);
    const filterItems = isRestricted(items) ? this.compileItems(items) : keepOrDrop(items, noItems);
    return filterFields === keep && filterItems === keep ? keep : byType(filterFields, filterItems);
  }

  private compileFields({ find, names }: Members): ResponseFilter {
    const filterOf = (name: string) => {
      const schema = find(name);
      return schema === undefined || schema === false ? undefined : this.of(schema);
    };
    // Compiled with the first value, because a schema can contain itself.
    let declared: ReadonlyMap<string, ResponseFilter | undefined> | undefined;
    const findFilter = (name: string) => {
      declared ??= new Map(names.map((each) => [each, filterOf(each)]));
      return declared.has(name) ? declared.get(name) : filterOf(name);
    };
    return (value) => filterFields(value as Record<string, unknown>, findFilter);
  }

  private compileItems({ find }: Members): ResponseFilter {
    return (value) => {
      const array = value as readonly unknown[];
      let copy: unknown[] | undefined;
      for (let index = 0; index < array.length; index += 1) {
        const filtered = this.of(find(index) ?? true)(array[index]);
        if (copy === undefined && filtered === array[index]) continue;
        copy ??= array.slice(0, index);
        copy.push(filtered);
      }
      return copy ?? array;
    };
  }

  /** The filters of the branches of a schema, by the value of the field that selects one. */
  private findSelection(schema: Schema) {
    const { oneOf, anyOf, discriminator, ...others } = schema;
    const { propertyName, mapping = {} } = (discriminator ?? {}) as Discriminator;
    const all = ((oneOf ?? anyOf) as readonly Schema[] | undefined) ?? this.subtypesOf(schema);
    const branches = all.filter((branch) => this.rules.of(branch).fields !== undefined);
    if (branches.length < 2) return undefined;
    for (const name of propertyName === undefined ? this.constantNames(branches) : [propertyName]) {
      const tags = branches.map((branch) => tagsOf(branch, name, mapping, this.document));
      if (new Set(tags.flat()).size < tags.flat().length) continue;
      const filters = branches.map((branch) => this.of({ allOf: [others, branch] }));
      const byTag = filters.flatMap((filter, index) => (tags[index] ?? []).map((tag) => [tag, filter] as const));
      return { name, filters: new Map<unknown, ResponseFilter>(byTag) };
    }
    return undefined;
  }

  /** The schemas that extend one with a `discriminator`, which lists no branches, by `allOf`. */
  private subtypesOf(schema: Schema): readonly Schema[] {
    if (schema['discriminator'] === undefined) return [];
    const schemas = Object.entries((this.document.components?.schemas ?? {}) as Readonly<Record<string, Schema>>);
    const extendsIt = ({ allOf = [] }: { readonly allOf?: readonly Schema[] }) =>
      allOf.some((part) => resolve(this.document, part) === schema);
    return schemas.filter(([, each]) => extendsIt(each)).map(([name]) => ({ $ref: `#/components/schemas/${name}` }));
  }

  /** The names of the properties that are a constant, or one of several, in each branch. */
  private constantNames(branches: readonly Schema[]): readonly string[] {
    const [first = [], ...others] = branches.map((branch) => {
      const { properties = {} } = resolve<{ readonly properties?: Readonly<Record<string, Schema>> }>(
        this.document,
        branch,
      );
      const schemas = Object.entries(properties).map(([name, node]) => [name, resolve(this.document, node)] as const);
      return schemas.filter(([, schema]) => schema['const'] !== undefined || schema['enum'] !== undefined);
    });
    const names = others.map((constants) => constants.map(([name]) => name));
    return first.map(([name]) => name).filter((name) => names.every((each) => each.includes(name)));
  }
}

interface Discriminator {
  readonly propertyName?: string;
  readonly mapping?: Readonly<Record<string, string>>;
}

const keep: ResponseFilter = (value) => value;
const noFields: ResponseFilter = () => ({});
const noItems: ResponseFilter = () => [];

function keepOrDrop(members: Members | undefined, none: ResponseFilter): ResponseFilter {
  return members === undefined ? none : keep;
}

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

function isRestricted(members: Members | undefined): members is Members {
  return members !== undefined && !members.isFree;
}

function isUnrestricted({ fields, items }: ValueMembers): boolean {
  return fields?.isFree === true && items?.isFree === true;
}

function filterFields(
  object: Readonly<Record<string, unknown>>,
  findFilter: (name: string) => ResponseFilter | undefined,
): object {
  const names = Object.keys(object);
  let copy: Record<string, unknown> | undefined;
  // An iterator of the indexes takes several times as long.
  for (let index = 0; index < names.length; index += 1) {
    const name = names[index] as string;
    const filter = findFilter(name);
    const filtered = filter?.(object[name]);
    if (copy === undefined && filter !== undefined && filtered === object[name]) continue;
    copy ??= copyOf(object, names.slice(0, index));
    if (filter !== undefined) setField(copy, name, filtered);
  }
  return copy ?? object;
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
  for (const name of names) setField(copy, name, (object as Readonly<Record<string, unknown>>)[name]);
  return copy;
}

/** An assignment to `__proto__` would set the prototype. */
function setField(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__') Object.defineProperty(object, name, { value, enumerable: true });
  else object[name] = value;
}
