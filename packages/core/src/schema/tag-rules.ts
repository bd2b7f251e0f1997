import type { Schema, Schemas } from '../contract/schemas.js';
import { typeOf } from '../json/type-of.js';

/** What a schema requires of the values that are valid, and of one property of them. It may require more. */
export interface TagRule {
  /** The JSON types of the values; `undefined` if they can have any. */
  readonly types: readonly string[] | undefined;
  /** The values of the property in objects that have it; `undefined` if it can have any. */
  readonly values: readonly unknown[] | undefined;
  /** Whether all objects have the property. */
  readonly isRequired: boolean;
}

const anything: TagRule = { types: undefined, values: undefined, isRequired: false };
const nothing: TagRule = { types: [], values: [], isRequired: true };
const onlyNull: TagRule = { types: ['null'], values: [], isRequired: true };

/** The rules of schemas for one property, each of which is found once. */
export class TagRules {
  private readonly known = new Map<unknown, TagRule>();

  constructor(
    private readonly schemas: Schemas,
    private readonly name: string,
  ) {}

  of(node: unknown): TagRule {
    if (typeof node !== 'object' || node === null) return node === false ? nothing : anything;
    const known = this.known.get(node);
    if (known !== undefined) return known;
    // A schema that contains itself adds nothing to its own rule.
    this.known.set(node, anything);
    const rule = this.find(this.schemas.keywordsOf(node as Schema));
    this.known.set(node, rule);
    return rule;
  }

  private find(schema: Composed): TagRule {
    const { oneOf, anyOf, type, nullable } = schema;
    const parts = this.schemas.partsOf(schema).map((part) => this.of(part));
    const unions = [oneOf, anyOf].filter((list) => list !== undefined);
    const rules = [...parts, ...unions.map((list) => eitherOf(list.map((branch) => this.of(branch))))];
    const rule = rules.reduce(bothOf, this.own(schema));
    return nullable === true && type === undefined ? eitherOf([rule, onlyNull]) : rule;
  }

  private own(schema: Composed): TagRule {
    const { type, nullable, properties = {}, required = [] } = schema;
    const types = type === undefined ? undefined : [type, nullable === true ? 'null' : []].flat();
    const property = Object.hasOwn(properties, this.name) ? properties[this.name] : undefined;
    return {
      types: intersection(types, ownValues(schema)?.map(typeOf), isSameType),
      values: valuesOf(this.schemas, property),
      isRequired: required.includes(this.name),
    };
  }
}

export function allowsObjects({ types }: TagRule): boolean {
  return types?.includes('object') ?? true;
}

/** The rule of values that fulfill both. */
export function bothOf(one: TagRule, other: TagRule): TagRule {
  return {
    types: intersection(one.types, other.types, isSameType),
    values: intersection(one.values, other.values, Object.is),
    isRequired: one.isRequired || other.isRequired,
  };
}

/** The rule of values that fulfill one or several. */
export function eitherOf(rules: readonly TagRule[]): TagRule {
  const ofObjects = rules.filter(allowsObjects);
  return {
    types: union(rules.map(({ types }) => types)),
    values: union(ofObjects.map(({ values }) => values)),
    isRequired: ofObjects.every(({ isRequired }) => isRequired),
  };
}

/** The values that a schema lists, also those of its parts; `undefined` if it lists none. */
function valuesOf(schemas: Schemas, node: unknown, seen = new Set<unknown>()): readonly unknown[] | undefined {
  if (node === false) return [];
  if (typeof node !== 'object' || node === null || seen.has(node)) return undefined;
  seen.add(node);
  const schema: Composed = schemas.keywordsOf(node as Schema);
  const { oneOf, anyOf, type, nullable } = schema;
  const each = (part: unknown) => valuesOf(schemas, part, seen);
  const unions = [oneOf, anyOf].map((branches) => branches && union(branches.map(each)));
  const lists = [...schemas.partsOf(schema).map(each), ...unions];
  const values = lists.reduce((one, other) => intersection(one, other, Object.is), ownValues(schema));
  return values !== undefined && nullable === true && type === undefined ? [...values, null] : values;
}

function ownValues({ const: value, enum: values }: Composed): List {
  return value === undefined ? values : [value];
}

type List = readonly unknown[] | undefined;

/** The values of both lists. `undefined` stands for a list of all values. */
function intersection<Value>(
  one: readonly Value[] | undefined,
  other: readonly Value[] | undefined,
  isSame: (one: Value, other: Value) => boolean,
): readonly Value[] | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one.filter((value) => other.some((each) => isSame(value, each)));
}

/** The values of all lists. */
function union<Each extends List>(lists: readonly Each[]): Each {
  const all = lists.flatMap((list) => list ?? []);
  return (lists.includes(undefined as Each) ? undefined : [...new Set(all)]) as Each;
}

const numeric = /^(?:integer|number)$/;

function isSameType(one: string, other: string): boolean {
  return one === other || (numeric.test(one) && numeric.test(other));
}

type Composed = Schema & {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly nullable?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Schema;
  readonly required?: readonly string[];
  readonly allOf?: readonly unknown[];
  readonly oneOf?: readonly unknown[];
  readonly anyOf?: readonly unknown[];
};
