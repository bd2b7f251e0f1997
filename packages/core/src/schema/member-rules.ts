import type { Schema, Schemas } from '../contract/schemas.js';
import { oncePer } from '../lib/once-per.js';
import {
  createMembers,
  free,
  type Members,
  membersOfAll,
  membersOfAny,
  type ValueMembers,
  withRequired,
  withUnevaluated,
} from './members.js';
import { compilePattern } from './patterns.js';
import { type Node, SchemaJoins } from './schema-joins.js';

/** What keeps a member out of requests (`readOnly`) or out of responses (`writeOnly`). */
export type Mark = 'readOnly' | 'writeOnly';

/** The rules of a document, which are the same each time. */
export const memberRulesOf = oncePer((schemas: Schemas) => new MemberRules(schemas));

/** Which members the schemas of a document declare, with those of the schemas that they consist of. */
export class MemberRules {
  private readonly members = new WeakMap<object, ValueMembers>();
  private readonly marks: Readonly<Record<Mark, WeakMap<Schema, boolean>>> = {
    readOnly: new WeakMap(),
    writeOnly: new WeakMap(),
  };
  private readonly joins: SchemaJoins;

  constructor(private readonly schemas: Schemas) {
    this.joins = new SchemaJoins(schemas);
  }

  of(node: Node): ValueMembers {
    if (typeof node !== 'object') return node ? { fields: free, items: free } : { fields: undefined, items: undefined };
    const found = this.members.get(node);
    if (found !== undefined) return found;
    // For a schema that consists of itself.
    this.members.set(node, { fields: free, items: free });
    const members = this.membersOf(node);
    this.members.set(node, members);
    return members;
  }

  /**
   * Whether a schema, or any that applies to the same value, is `readOnly` or `writeOnly`: one of several is enough
   * (JSON Schema 2020-12 Validation, section 9.4), also in a branch that a value may not match.
   */
  isMarked(mark: Mark, node: Node | undefined): boolean {
    if (typeof node !== 'object') return false;
    const known = this.marks[mark].get(node);
    if (known !== undefined) return known;
    const schemas = new Set<Schema>([node]);
    for (const schema of schemas) for (const part of this.applyingWith(schema)) schemas.add(part);
    const isMarked = [...schemas].some((schema) => schema[mark] === true);
    this.marks[mark].set(node, isMarked);
    return isMarked;
  }

  /** The schemas that apply to the same value as one, because it contains them or refers to them. */
  private applyingWith(schema: Schema): readonly Schema[] {
    const {
      $ref,
      if: condition,
      then: consequence,
      else: otherwise,
      ...lists
    } = this.schemas.keywordsOf(schema) as Parts;
    const target = $ref === undefined ? [] : [this.schemas.at($ref) as Node];
    const { allOf = [], anyOf = [], oneOf = [], dependentSchemas = {} } = lists;
    const conditional = [condition, consequence, otherwise, ...Object.values(dependentSchemas)];
    return [...target, ...allOf, ...anyOf, ...oneOf, ...conditional].filter(isSchema);
  }

  private membersOf(schema: Schema): ValueMembers {
    const keywords = this.schemas.keywordsOf(schema);
    const { unevaluatedProperties, unevaluatedItems } = keywords as Parts;
    const { fields, items } = this.applyAll(this.partsOf(keywords));
    return {
      fields: withUnevaluated(
        withRequired(fields, () => this.requiredNames(schema)),
        unevaluatedProperties,
      ),
      // Without `items`, others are allowed.
      items: unevaluatedItems === false ? items : withUnevaluated(items, unevaluatedItems),
    };
  }

  /** The fields that each object of a schema has, by the schema and those that it consists of. */
  private requiredNames(schema: Schema): readonly string[] {
    return this.schemas.conjunctsOf(schema).flatMap(({ required = [] }: Parts) => required);
  }

  /** The members that each part of a schema declares; all parts apply. */
  private partsOf(schema: Schema): readonly ValueMembers[] {
    const { $ref, allOf = [] } = schema as Parts;
    const target = $ref === undefined ? [] : [this.of(this.schemas.at($ref) as Node)];
    return [
      ...target,
      { fields: this.ownFields(schema), items: ownItems(schema) },
      ...allOf.map((part) => this.of(part)),
      ...choicesOf(schema as Parts).map((branches) => this.applyAny(branches.map((branch) => this.of(branch)))),
    ];
  }

  private ownFields(schema: Schema): Members | undefined {
    if (!allows('object', schema)) return undefined;
    const { properties = {}, patternProperties = {}, additionalProperties } = schema as Parts;
    const patterns = compiledPatterns(patternProperties);
    // The names that a pattern describes are unknown if JavaScript cannot compile it.
    const isKnown = patterns.length === Object.keys(patternProperties).length;
    const additional = isKnown ? additionalProperties : {};
    const declared = Object.keys(properties);
    // Generators write empty `properties` for an object with any.
    if (declared.length === 0 && patterns.length === 0 && additional === undefined) return free;
    const find = (name: string | number) => {
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
      const matching = patterns.filter(({ compiled }) => compiled.test(String(name))).map(({ node }) => node);
      return this.joins.all([property, ...matching]) ?? (additional === false ? undefined : additional);
    };
    const patternNames = patterns.map(({ pattern }) => pattern);
    return createMembers({
      isFree: false,
      names: declared,
      places: 0,
      patterns: patterns.map(({ pattern, node }) => [pattern, node]),
      rests: additional === undefined ? [] : [{ node: additional, names: declared, patterns: patternNames }],
      find,
    });
  }

  private applyAll(parts: readonly ValueMembers[]): ValueMembers {
    const [fields, items] = [parts.map((part) => part.fields), parts.map((part) => part.items)];
    return { fields: membersOfAll(this.joins, fields), items: membersOfAll(this.joins, items) };
  }

  private applyAny(branches: readonly ValueMembers[]): ValueMembers {
    const [fields, items] = [branches.map((branch) => branch.fields), branches.map((branch) => branch.items)];
    return { fields: membersOfAny(this.joins, fields), items: membersOfAny(this.joins, items) };
  }
}

/** Those that JavaScript can compile. */
function compiledPatterns(patternProperties: Readonly<Record<string, Node>>) {
  return Object.entries(patternProperties).flatMap(([pattern, node]) => {
    const compiled = compilePattern(pattern);
    return compiled === undefined ? [] : [{ pattern, compiled, node }];
  });
}

function isSchema(node: Node | null | undefined): node is Schema {
  return typeof node === 'object' && node !== null;
}

/** The schemas that a schema has to choose from, in one list for each choice. */
function choicesOf({ anyOf, oneOf, then: consequence, else: otherwise, dependentSchemas = {}, contains }: Parts) {
  const choices = [anyOf, oneOf].filter((branches) => branches !== undefined);
  // Each item can match it or not, as if it were a branch of `items`.
  if (contains !== undefined) choices.push([{ items: contains }, true]);
  if (consequence !== undefined || otherwise !== undefined) choices.push([consequence ?? true, otherwise ?? true]);
  for (const dependent of Object.values(dependentSchemas)) choices.push([dependent, true]);
  return choices;
}

function ownItems(schema: Schema): Members | undefined {
  if (!allows('array', schema)) return undefined;
  const { prefixItems = [], items } = schema as Parts;
  if (prefixItems.length === 0 && items === undefined) return free;
  const find = (index: string | number) => prefixItems[Number(index)] ?? items;
  return createMembers({ ...free, isFree: false, places: prefixItems.length, find });
}

/** Whether a schema allows values of a type. Without `type`, its other keywords imply it. */
function allows(type: 'object' | 'array', schema: Schema): boolean {
  const { type: types, enum: values, const: value } = schema as Parts;
  if (types !== undefined) return [types].flat().includes(type);
  const implied = Object.keys(schema).flatMap((keyword) =>
    Object.hasOwn(impliedTypes, keyword) ? (impliedTypes[keyword] ?? []) : [],
  );
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
  readonly if?: Node;
  readonly then?: Node;
  readonly else?: Node;
  readonly dependentSchemas?: Readonly<Record<string, Node>>;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly required?: readonly string[];
  readonly patternProperties?: Readonly<Record<string, Node>>;
  readonly additionalProperties?: Node;
  readonly unevaluatedProperties?: Node;
  readonly prefixItems?: readonly Node[];
  readonly items?: Node;
  readonly contains?: Node;
  readonly unevaluatedItems?: Node;
}
