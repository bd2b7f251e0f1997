import type { Schema, Schemas } from '../contract/schemas.js';
import { oncePer } from '../lib/once-per.js';
import { allowsObjects, bothOf, eitherOf, type TagRule, TagRules } from './tag-rules.js';

export type UnionKeyword = 'oneOf' | 'anyOf';
export const unionKeywords: readonly UnionKeyword[] = ['oneOf', 'anyOf'];

/** How a property, the tag, tells which branch of `oneOf` or `anyOf` an object is meant for. */
export interface UnionTag {
  readonly name: string;
  /** The keyword of the contract that names the values: `discriminator`, or else `enum` and `const` in the branches. */
  readonly keyword: 'discriminator' | 'enum';
  /** The index of the branch for each value; a value that several branches list has none. */
  readonly branches: ReadonlyMap<unknown, number>;
  /** The values of all branches; `undefined` if one of them does not list its own. */
  readonly values: readonly unknown[] | undefined;
  /** Whether objects must have the tag. */
  readonly isRequired: boolean;
  /** Whether no object is valid for another branch than that of its tag, and none without a tag. */
  readonly isExclusive: boolean;
  /** The indexes of the branches that allow no objects. */
  readonly others: readonly number[];
  /** The JSON types of the values; `undefined` if they can have any. */
  readonly types: readonly string[] | undefined;
}

type Mapping = Readonly<Record<string, string>>;

export interface Discriminator {
  readonly propertyName: string;
  readonly mapping?: Mapping;
}

/** The tags of the unions of a document, which are the same each time. */
export const unionTagsOf = oncePer((schemas: Schemas) => new UnionTags(schemas));

/** Finds the tags of unions: what a `discriminator` names, or the first property that tells all branches apart. */
class UnionTags {
  private readonly rules = new Map<string, TagRules>();
  private readonly known = new WeakMap<Schema, Partial<Record<UnionKeyword, UnionTag | undefined>>>();

  constructor(private readonly schemas: Schemas) {}

  /** The tag of a union; `undefined` without one. */
  of(schema: Schema, keyword: UnionKeyword): UnionTag | undefined {
    if (schema[keyword] === undefined) return undefined;
    const known = this.known.get(schema) ?? {};
    this.known.set(schema, known);
    if (!(keyword in known)) known[keyword] = this.find(this.schemas.keywordsOf(schema), keyword);
    return known[keyword];
  }

  /** What a branch requires of a tag. */
  ruleOf(branch: unknown, name: string): TagRule {
    const rules = this.rules.get(name) ?? new TagRules(this.schemas, name);
    this.rules.set(name, rules);
    return rules.of(branch);
  }

  /** The schema that an entry of `mapping` names by its name or its URI. */
  findNamed(named: string): unknown {
    if (Object.hasOwn(this.schemas.named, named)) return this.schemas.named[named];
    return named.startsWith('#') ? this.schemas.at(named) : undefined;
  }

  private find(schema: Schema, keyword: UnionKeyword): UnionTag | undefined {
    const { [keyword]: branches, discriminator } = schema as Union;
    if (branches === undefined) return undefined;
    if (discriminator !== undefined) return this.describe(schema, branches, discriminator);
    const objects = branches.filter((branch) => allowsObjects(this.ruleOf(branch, '')));
    if (objects.length < 2) return undefined;
    const propertyName = this.propertiesOf(objects[0]).find((name) => this.tellsApart(objects, name));
    return propertyName === undefined ? undefined : this.describe(schema, branches, { propertyName }, 'enum');
  }

  private tellsApart([first, ...others]: readonly unknown[], name: string): boolean {
    const rule = this.ruleOf(first, name);
    return rule.values !== undefined && areDisjoint([rule, ...others.map((branch) => this.ruleOf(branch, name))]);
  }

  private describe(
    { oneOf: _oneOf, anyOf: _anyOf, ...own }: Schema,
    branches: readonly unknown[],
    { propertyName: name, mapping = {} }: Discriminator,
    keyword: UnionTag['keyword'] = 'discriminator',
  ): UnionTag {
    const outer = this.ruleOf(own, name);
    const all = branches.map((node, index): Branch => ({ node, index, rule: this.ruleOf(node, name) }));
    const objects = all.filter(({ rule }) => allowsObjects(rule));
    const { types, isRequired } = bothOf(outer, eitherOf(all.map(({ rule }) => rule)));
    const mapped = this.mappedBranches(branches, mapping);
    const values = objects.map((branch) => valuesOf(branch, mapped));
    const isTagged = ({ rule }: Branch) =>
      (rule.isRequired || outer.isRequired) && (isOnlyObjects(rule) || isOnlyObjects(outer));
    return {
      name,
      keyword,
      branches: select(objects, mapped),
      values: values.includes(undefined) ? undefined : [...new Set(values.flatMap((list) => list ?? []))],
      isRequired: keyword === 'discriminator' || isRequired,
      isExclusive: areDisjoint(objects.map(({ rule }) => rule)) && objects.every(isTagged),
      others: all.filter(({ rule }) => !allowsObjects(rule)).map(({ index }) => index),
      types,
    };
  }

  /** The values of `mapping`, each with the index of the branch that leads to what it names. */
  private mappedBranches(branches: readonly unknown[], mapping: Mapping): Selections {
    const indexes = new Map<unknown, number>();
    branches.forEach((branch, index) => {
      for (const part of this.partsOf(branch)) if (!indexes.has(part)) indexes.set(part, index);
    });
    return Object.entries(mapping).map(([value, named]) => [value, indexes.get(this.findNamed(named))]);
  }

  /** A schema, and those that it leads to by references and unions, and by `allOf` if these count too. */
  private partsOf(branch: unknown, hasAll = false): ReadonlySet<unknown> {
    const parts = new Set([branch]);
    for (const part of parts) {
      const { $ref, oneOf = [], anyOf = [], allOf = [] } = this.schemas.keywordsOf(Object(part) as Schema) as Union;
      if ($ref !== undefined) parts.add(this.schemas.at($ref));
      for (const inner of [...oneOf, ...anyOf, ...(hasAll ? allOf : [])]) parts.add(inner);
    }
    return parts;
  }

  /** The names of the properties of a schema and of its parts. */
  private propertiesOf(branch: unknown): readonly string[] {
    const parts = [...this.partsOf(branch, true)].map((part) => this.schemas.keywordsOf(Object(part) as Schema));
    return parts.flatMap(({ properties = {} }) => Object.keys(properties as Schema));
  }
}

/** A branch of a union, and what it requires of the tag. */
interface Branch {
  readonly node: unknown;
  readonly index: number;
  readonly rule: TagRule;
}

/** Whether all rules list the values of the tag, and no value is one of several. */
function areDisjoint(rules: readonly TagRule[]): boolean {
  const all = rules.flatMap(({ values }) => values ?? [undefined]);
  return all.every(isComparable) && new Set(all).size === all.length;
}

/** Values of the tag, each with the index of the branch that it selects, if it selects one. */
type Selections = readonly (readonly [value: unknown, index: number | undefined])[];

/** The values that select a branch: those that it lists, those of `mapping`, or the name of its schema. */
function valuesOf({ node, index, rule }: Branch, mapped: Selections): readonly unknown[] | undefined {
  if (rule.values !== undefined) return rule.values;
  const values = mapped.filter(([, selected]) => selected === index).map(([value]) => value);
  const schemaName = nameOf(node);
  if (values.length > 0) return values;
  return schemaName === undefined ? undefined : [schemaName];
}

/** The branch of each value: that of `mapping`, the schema of this name, or the only one that lists it. */
function select(objects: readonly Branch[], mapped: Selections): ReadonlyMap<unknown, number> {
  const rules = new Map(objects.map(({ index, rule }) => [index, rule]));
  const named: Selections = objects.map(({ node, index }) => [nameOf(node), index]);
  const selected = new Map<unknown, number>();
  for (const [value, index = -1] of [...mapped, ...named, ...listedOnce(objects)]) {
    const values: readonly unknown[] | undefined = rules.has(index) ? rules.get(index)?.values : [];
    if (!selected.has(value) && value !== undefined && (values?.includes(value) ?? true)) selected.set(value, index);
  }
  return selected;
}

/** The values that only one branch lists. */
function listedOnce(objects: readonly Branch[]): Selections {
  const listed = objects.flatMap(({ index, rule: { values = [] } }) => values.map((value) => [value, index] as const));
  const counts = new Map<unknown, number>();
  for (const [value] of listed) counts.set(value, (counts.get(value) ?? 0) + 1);
  return listed.filter(([value]) => isComparable(value) && counts.get(value) === 1);
}

/** Whether `===` compares a value as JSON Schema does, also with a 64-bit integer. */
function isComparable(value: unknown): boolean {
  return value === null || /^(?:string|boolean)$/.test(typeof value) || Number.isSafeInteger(value);
}

function isOnlyObjects({ types }: TagRule): boolean {
  return types?.every((type) => type === 'object') ?? false;
}

/** The name of the component that a reference leads to. */
export function nameOf(branch: unknown): string | undefined {
  const { $ref } = Object(branch) as Union;
  return $ref?.slice($ref.lastIndexOf('/') + 1);
}

type Union = Schema & {
  readonly $ref?: string;
  readonly discriminator?: Discriminator;
  readonly properties?: Schema;
  readonly allOf?: readonly unknown[];
  readonly oneOf?: readonly unknown[];
  readonly anyOf?: readonly unknown[];
};
