import type { Schema, Schemas } from '../contract/schemas.js';
import { type Mark, type MemberRules, memberRulesOf } from './member-rules.js';
import type { Members } from './members.js';
import type { Node } from './schema-joins.js';

/** The key of a schema whose properties are the parts of a message, such as its body: none of them is omitted. */
export const isMessage = Symbol('isMessage');

/**
 * The schema of the body of a response. One that is `writeOnly` as a whole is null: "a blank document" (JSON Schema
 * 2020-12 Validation, section 9.4).
 */
export function responseBodySchema(schemas: Schemas, schema: object = {}): Schema {
  return memberRulesOf(schemas).isMarked('writeOnly', schema as Schema) ? { const: null } : (schema as Schema);
}

/** The schema that applies to a value, of which another one is a part. */
export interface Scope {
  readonly schema: Schema;
  /** Whether the translation of the part forbids what the scope omits; otherwise, another one does. */
  readonly isWhole: boolean;
}

/** No value. Ajv reports it where the value is, unlike the false of `additionalProperties` and `items`. */
const nothing = { allOf: [false] };

/**
 * Which members a message must not have: those of a request that are `readOnly`, or those of a response that are
 * `writeOnly`, by any schema that applies to them. Whatever demands them is omitted as well. Items are omitted too;
 * where an item has a place of its own (`prefixItems`), it is null.
 */
export class OmittedMembers {
  private readonly rules: MemberRules;
  /** Those that lead to none that is marked. */
  private readonly unmarked = new Set<unknown>();
  private readonly wholes = new WeakMap<Schema, Scope>();
  private readonly parts = new WeakMap<Schema, Scope>();

  constructor(
    private readonly schemas: Schemas,
    private readonly mark: Mark,
  ) {
    this.rules = memberRulesOf(schemas);
  }

  /** The same object each time. */
  scopeOf(schema: Schema, isWhole: boolean): Scope {
    const scopes = isWhole ? this.wholes : this.parts;
    const scope = scopes.get(schema) ?? { schema, isWhole };
    scopes.set(schema, scope);
    return scope;
  }

  /** Whether anything in a schema, or in what it refers to, is marked. Others need no translation of their own. */
  isIn(schema: Schema): boolean {
    const seen = new Set<unknown>([schema]);
    for (const node of seen) {
      if (typeof node !== 'object' || node === null || this.unmarked.has(node)) continue;
      const { [this.mark]: mark, $ref } = node as Schema;
      if (mark === true) return true;
      if (typeof $ref === 'string') seen.add(this.schemas.at($ref));
      for (const inner of Object.values(node)) seen.add(inner);
    }
    for (const node of seen) if (typeof node === 'object') this.unmarked.add(node);
    return false;
  }

  isOmitted(node: Node | undefined): boolean {
    return this.rules.isMarked(this.mark, node);
  }

  /** The joined schema of a member of `scope`, which several schemas can declare. */
  member(scope: Schema, name: string | number): Node | undefined {
    const { fields, items } = this.rules.of(scope);
    return (typeof name === 'number' ? items : fields)?.find(name);
  }

  /** Allows any value of omitted members in a part of `scope`, and requires none of them. */
  relax(schema: Record<string, unknown>, scope: Schema, isExclusive: boolean): void {
    const { fields, items } = this.rules.of(scope);
    if (!isExclusive) this.relaxChoice(schema, scope);
    if (fields !== undefined) this.relaxFields(schema, fields);
    if (items !== undefined) this.relaxItems(schema, items);
  }

  /** Adds to the translation of `scope` that it has no omitted members. */
  forbid(schema: Record<string, unknown>, scope: Schema): void {
    const { fields, items } = this.rules.of(scope);
    const added = [...(fields === undefined ? [] : this.otherFields(fields)), ...this.forbiddenItems(items)];
    if (added.length > 0) schema['allOf'] = [...((schema['allOf'] as unknown[] | undefined) ?? []), ...added];
    if (fields === undefined) return;
    const names = fields.names.filter((name) => this.isOmitted(fields.find(name)));
    addFalse(schema, 'properties', names);
    addFalse(schema, 'patternProperties', this.patternsOf(fields));
  }

  /** Without an omitted member that only one branch of `oneOf` demands, a value can match several branches. */
  private relaxChoice(schema: Record<string, unknown>, scope: Schema): void {
    const { oneOf = [], allOf = [], discriminator } = schema as Demands;
    if (!oneOf.some((branch) => this.demandsOmitted(branch, scope))) return;
    delete schema['oneOf'];
    schema['allOf'] = [...allOf, { anyOf: oneOf, ...(discriminator !== undefined && { discriminator }) }];
  }

  private demandsOmitted(branch: Node, scope: Schema, seen = new Set<Node>()): boolean {
    if (typeof branch !== 'object' || seen.has(branch)) return false;
    seen.add(branch);
    const { required = [], $ref, allOf = [], anyOf = [], oneOf = [] } = branch as Demands;
    const target = $ref === undefined ? [] : [this.schemas.at($ref) as Node];
    const parts = [...target, ...allOf, ...anyOf, ...oneOf];
    const isDemanded = (name: string) => this.isOmitted(this.member(scope, name));
    return required.some(isDemanded) || parts.some((part) => this.demandsOmitted(part, scope, seen));
  }

  private relaxFields(schema: Record<string, unknown>, fields: Members): void {
    const { properties, patternProperties, required, dependentRequired, minProperties } = schema as Demands;
    const isOmitted = (name: string) => this.isOmitted(fields.find(name));
    const sent = (names: readonly string[]) => names.filter((name) => !isOmitted(name));
    if (properties !== undefined) schema['properties'] = this.allow(properties, (name) => isOmitted(name));
    if (patternProperties !== undefined)
      schema['patternProperties'] = this.allow(patternProperties, (_, node) => this.isOmitted(node));
    for (const keyword of ['additionalProperties', 'unevaluatedProperties'])
      if (this.isOmitted(schema[keyword] as Node | undefined)) schema[keyword] = true;
    if (required !== undefined) schema['required'] = sent(required);
    if (dependentRequired !== undefined)
      schema['dependentRequired'] = mapEntries(dependentRequired, (_, names) => sent(names));
    if (minProperties === undefined) return;
    const hasOthers = this.patternsOf(fields).length + this.otherFields(fields).length > 0;
    const omitted = hasOthers ? Infinity : fields.names.filter(isOmitted).length;
    schema['minProperties'] = Math.max(minProperties - omitted, 0);
  }

  private relaxItems(schema: Record<string, unknown>, items: Members): void {
    const { prefixItems } = schema as Demands;
    if (prefixItems !== undefined)
      schema['prefixItems'] = prefixItems.map((node, index) => this.isOmitted(items.find(index)) || node);
    if (!this.isOmitted(items.find(items.places))) return;
    for (const keyword of ['items', 'unevaluatedItems', 'contains', 'minContains', 'minItems'])
      Reflect.deleteProperty(schema, keyword);
  }

  private allow(nodes: Nodes, isOmitted: (name: string, node: Node) => boolean): Nodes {
    return mapEntries(nodes, (name, node) => isOmitted(name, node) || node);
  }

  private patternsOf({ patterns }: Members): readonly string[] {
    return patterns.filter(([, node]) => this.isOmitted(node)).map(([pattern]) => pattern);
  }

  private otherFields({ rests }: Members): readonly object[] {
    const trueFor = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, true]));
    return rests
      .filter(({ node }) => this.isOmitted(node))
      .map(({ names, patterns }) => ({
        properties: trueFor(names),
        patternProperties: trueFor(patterns),
        additionalProperties: nothing,
      }));
  }

  private forbiddenItems(items: Members | undefined): readonly object[] {
    if (items === undefined) return [];
    const places = Array.from({ length: items.places }, (_, index) => this.isOmitted(items.find(index)));
    const hasOmittedRest = this.isOmitted(items.find(items.places));
    if (!hasOmittedRest && !places.includes(true)) return [];
    const prefixItems = places.map((isNull) => (isNull ? { const: null } : true));
    return [{ ...(places.length > 0 && { prefixItems }), ...(hasOmittedRest && { items: nothing }) }];
  }
}

function addFalse(schema: Record<string, unknown>, keyword: string, names: readonly string[]): void {
  if (names.length === 0) return;
  const forbidden = Object.fromEntries(names.map((name) => [name, false]));
  schema[keyword] = { ...(schema[keyword] as object | undefined), ...forbidden };
}

function mapEntries<Value, Result>(
  values: Readonly<Record<string, Value>>,
  map: (name: string, value: Value) => Result,
): Readonly<Record<string, Result>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(name, value)]));
}

type Nodes = Readonly<Record<string, Node>>;

/** The keywords that demand or describe members. */
interface Demands {
  readonly $ref?: string;
  readonly allOf?: readonly Node[];
  readonly anyOf?: readonly Node[];
  readonly oneOf?: readonly Node[];
  readonly properties?: Nodes;
  readonly patternProperties?: Nodes;
  readonly prefixItems?: readonly Node[];
  readonly discriminator?: unknown;
  readonly required?: readonly string[];
  readonly dependentRequired?: Readonly<Record<string, readonly string[]>>;
  readonly minProperties?: number;
}
