import type { SchemaDocument } from './create-ajv.js';
import type { Schema } from './exact-number.js';
import { findAt } from './json-pointer.js';
import { resolve } from './operations.js';
import { compileNamePattern } from './patterns.js';

/** A schema; OpenAPI 3.1 has boolean ones. */
export type Node = Schema | boolean;

/** Which fields of an object, or items of an array, a schema declares. */
export interface Members {
  /** Whether it declares nothing about them, so that every member is allowed. */
  readonly isFree: boolean;
  /** The names of the properties. */
  readonly names: readonly string[];
  /** The schema of a field or an item; `undefined` if it is not declared, `false` if a response does not have it. */
  readonly find: (name: string | number) => Node | undefined;
}

/** The members of values of a schema; `undefined` if no value of it is an object or an array. */
export interface ValueMembers {
  readonly fields: Members | undefined;
  readonly items: Members | undefined;
}

type Keyword = 'allOf' | 'anyOf';

const free: Members = { isFree: true, names: [], find: () => undefined };

/** Which members the schemas of a document declare, with those of the schemas that they consist of. */
export class MemberRules {
  private readonly members = new WeakMap<object, ValueMembers>();
  private readonly joined: Readonly<Record<Keyword, WeakMap<Schema, WeakMap<Schema, Schema>>>> = {
    allOf: new WeakMap(),
    anyOf: new WeakMap(),
  };

  constructor(private readonly document: SchemaDocument) {}

  of(node: Node): ValueMembers {
    if (typeof node !== 'object') return node ? { fields: free, items: free } : { fields: undefined, items: undefined };
    const found = this.members.get(node);
    if (found !== undefined) return found;
    // For a schema that consists of itself.
    this.members.set(node, { fields: free, items: free });
    const members = this.combine('allOf', this.partsOf(node));
    this.members.set(node, members);
    return members;
  }

  /** The members that each part of a schema declares; all parts apply. */
  private partsOf(schema: Schema): readonly ValueMembers[] {
    const { $ref, allOf = [] } = schema as Parts;
    const target = $ref === undefined ? [] : [this.of(findAt(this.document, $ref) as Node)];
    // In OpenAPI 3.0, a reference has no siblings.
    if ($ref !== undefined && this.document.openapi.startsWith('3.0')) return target;
    const ofBranches = (branches: readonly Node[]) =>
      this.combine(
        'anyOf',
        branches.map((branch) => this.of(branch)),
      );
    return [
      ...target,
      { fields: this.ownFields(schema), items: ownItems(schema) },
      ...allOf.map((part) => this.of(part)),
      ...choicesOf(schema as Parts).map(ofBranches),
    ];
  }

  private ownFields(schema: Schema): Members | undefined {
    if (!allows('object', schema)) return undefined;
    const { properties = {}, patternProperties = {}, ...others } = schema as Parts;
    const patterns = Object.entries(patternProperties).flatMap(([pattern, node]) => {
      const compiled = compileNamePattern(pattern);
      return compiled === undefined ? [] : [[compiled, node] as const];
    });
    // The names that a pattern describes are unknown if JavaScript cannot compile it.
    const isKnown = patterns.length === Object.keys(patternProperties).length;
    const additional = isKnown ? (others.additionalProperties ?? others.unevaluatedProperties) : {};
    const names = Object.keys(properties);
    // Generators write empty `properties` for an object with any.
    if (names.length === 0 && patterns.length === 0 && additional === undefined) return free;
    const find = (name: string | number) => {
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (property !== undefined && this.isWriteOnly(property)) return false;
      const matching = patterns.filter(([pattern]) => pattern.test(String(name))).map(([, node]) => node);
      return this.join('allOf', [property, ...matching]) ?? (additional === false ? undefined : additional);
    };
    return { isFree: false, names, find };
  }

  private isWriteOnly(property: Node): boolean {
    if (typeof property !== 'object') return false;
    return (property['writeOnly'] ?? resolve(this.document, property)['writeOnly']) === true;
  }

  private combine(keyword: Keyword, parts: readonly ValueMembers[]): ValueMembers {
    return {
      fields: this.combineMembers(
        keyword,
        parts.map(({ fields }) => fields),
      ),
      items: this.combineMembers(
        keyword,
        parts.map(({ items }) => items),
      ),
    };
  }

  private combineMembers(keyword: Keyword, all: readonly (Members | undefined)[]): Members | undefined {
    const parts = all.filter((part) => part !== undefined);
    if (parts.length === 0 || (keyword === 'allOf' && parts.length < all.length)) return undefined;
    const [first = free] = parts;
    if (parts.length === 1) return first;
    return {
      isFree: keyword === 'allOf' ? parts.every(({ isFree }) => isFree) : parts.some(({ isFree }) => isFree),
      names: [...new Set(parts.flatMap(({ names }) => names))],
      find: (name) =>
        this.join(
          keyword,
          parts.map(({ find }) => find(name)),
        ),
    };
  }

  /** The schema of a member that several schemas declare. It is the same one for the same schemas. */
  private join(keyword: Keyword, nodes: readonly (Node | undefined)[]): Node | undefined {
    const declared = nodes.filter((node) => node !== undefined);
    const decisive = keyword === 'anyOf';
    if (declared.includes(decisive)) return decisive;
    const schemas = declared.filter((node) => typeof node === 'object');
    if (schemas.length === 0) return declared[0];
    return schemas.reduce((one, other) => this.joinTwo(keyword, one, other));
  }

  private joinTwo(keyword: Keyword, one: Schema, other: Schema): Schema {
    if (one === other) return one;
    const memo = this.joined[keyword];
    const joined = memo.get(one) ?? new WeakMap<Schema, Schema>();
    memo.set(one, joined);
    const schema = joined.get(other) ?? { [keyword]: [one, other] };
    joined.set(other, schema);
    return schema;
  }
}

/** The schemas that a schema has to choose from, in one list for each choice. */
function choicesOf({ anyOf, oneOf, then: consequence, else: otherwise, dependentSchemas = {} }: Parts) {
  const choices = [anyOf, oneOf].filter((branches) => branches !== undefined);
  if (consequence !== undefined || otherwise !== undefined) choices.push([consequence ?? true, otherwise ?? true]);
  for (const dependent of Object.values(dependentSchemas)) choices.push([dependent, true]);
  return choices;
}

function ownItems(schema: Schema): Members | undefined {
  if (!allows('array', schema)) return undefined;
  const { prefixItems = [], items } = schema as Parts;
  if (prefixItems.length === 0 && items === undefined) return free;
  return { isFree: false, names: [], find: (index) => prefixItems[Number(index)] ?? items };
}

/** Whether a schema allows values of a type. Without `type`, its other keywords imply it. */
function allows(type: 'object' | 'array', schema: Schema): boolean {
  const { type: types, enum: values, const: value } = schema as Parts;
  if (types !== undefined) return [types].flat().includes(type);
  const implied = Object.keys(schema).flatMap((keyword) => impliedTypes[keyword] ?? []);
  if (implied.length > 0) return implied.includes(type);
  const constants = value === undefined ? values : [value];
  return constants === undefined || constants.some((each) => typeof each === 'object' && each !== null);
}

const impliedTypes: Readonly<Record<string, 'object' | 'array'>> = {
  properties: 'object',
  patternProperties: 'object',
  additionalProperties: 'object',
  unevaluatedProperties: 'object',
  items: 'array',
  prefixItems: 'array',
};

/** The keywords of a schema that declare members. */
interface Parts {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly allOf?: readonly Node[];
  readonly anyOf?: readonly Node[];
  readonly oneOf?: readonly Node[];
  readonly then?: Node;
  readonly else?: Node;
  readonly dependentSchemas?: Readonly<Record<string, Node>>;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly patternProperties?: Readonly<Record<string, Node>>;
  readonly additionalProperties?: Node;
  readonly unevaluatedProperties?: Node;
  readonly prefixItems?: readonly Node[];
  readonly items?: Node;
}
