import type { SchemaDocument } from '../openapi/create-ajv.js';
import type { Schema } from '../openapi/exact-number.js';
import { escapeName } from '../openapi/json-pointer.js';
import { type MemberRules, memberRulesOf } from '../openapi/member-rules.js';
import type { Node } from '../openapi/schema-joins.js';
import { isNullable, typeOf } from './merge-schemas.js';
import { sampleNumber, sampleText } from './sample-scalars.js';
import { type FlatSchema, SchemaAlternatives } from './schema-alternatives.js';

/** How many schemas an expansion visits or merges at most, which takes a few milliseconds. */
const visitedMax = 2000;
/** The part of them after which it omits what is optional, so that enough are left for what is required. */
const optionalPart = 0.4;
const depthMax = 30;
const itemsMax = 100;

/** What the samples of an expanded schema consist of. */
export interface ExpansionOptions {
  /** Whether they have the examples and the defaults of schemas. */
  readonly hasExamples: boolean;
  /** Whether they have fields that are not required. */
  readonly hasOptional: boolean;
  /** The places, as `placeOf` returns them, whose examples and defaults are not used. */
  readonly invalidExamples: ReadonlySet<string>;
  /** How often the value of a place was invalid: then, it is another branch, null, or omitted. */
  readonly failures: ReadonlyMap<string, number>;
}

/** Where a schema is: its place in a value, and the references that lead to it. */
interface Position {
  readonly place: string;
  readonly depth: number;
  readonly followed: readonly string[];
}

/** Whether responses omit a field or an item, by any part of its schema: it is `writeOnly`. */
type Omits = (name: string | number) => boolean;

type FlatPosition = Omit<Position, 'followed'> & { readonly omits: Omits };

/** Expands the schema of a field or an item. */
type Expand = (node: unknown, name: string) => Schema | undefined;

interface Inner {
  readonly expand: Expand;
  readonly omits: Omits;
}

/** The place of a value by its JSON Pointer: the items of an array have the same schema, and so the same place. */
export function placeOf(pointer: string): string {
  return pointer.replace(/\/\d+(?=\/|$)/g, '/0');
}

/**
 * Expands a schema of a response to a tree of bounded size, so that a sampler takes a bounded time for it. It has no
 * references, no alternatives and no fields that are `writeOnly`. Recursion ends with what is optional, empty or null.
 *
 * @returns the number of schemas that it visited; `undefined` for `schema` if a value takes too many, or never ends.
 */
export function expandSchema(document: SchemaDocument, root: unknown, options: ExpansionOptions) {
  const alternatives = new SchemaAlternatives(document, visitedMax);
  const schema = new Expansion(alternatives, memberRulesOf(document), options).expand(root, {
    place: '',
    depth: 0,
    followed: [],
  });
  return { schema, visited: alternatives.visited };
}

class Expansion {
  constructor(
    private readonly alternatives: SchemaAlternatives,
    private readonly rules: MemberRules,
    private readonly options: ExpansionOptions,
  ) {}

  expand(node: unknown, { place, depth, followed }: Position): Schema | undefined {
    if (depth > depthMax) return undefined;
    const failures = this.options.failures.get(place) ?? 0;
    let canBeNull = false;
    const omits = this.omittedIn(node as Node);
    for (const flat of this.alternatives.of(node, { followed, branch: failures })) {
      canBeNull ||= isNullable(flat.schema);
      if (canBeNull && failures === 2) break;
      const expanded = this.expandFlat(flat, { place, depth, omits });
      if (expanded !== undefined) return expanded;
    }
    return canBeNull ? { const: null } : undefined;
  }

  private expandFlat({ schema, followed }: FlatSchema, { place, depth, omits }: FlatPosition): Schema | undefined {
    const literal = this.findLiteral(schema, place);
    if (literal !== undefined) return withXml(schema, { const: literal });
    const expand: Expand = (node, name) =>
      this.expand(node, { place: `${place}/${placeOf(escapeName(name))}`, depth: depth + 1, followed });
    const type = typeOf(schema);
    if (type === 'object') return this.expandObject(schema, place, { expand, omits });
    if (type === 'array') return this.expandArray(schema, { expand, omits });
    const value = scalarOf(type, schema);
    return value === undefined ? undefined : withXml(schema, { const: value });
  }

  /** A value that the schema states. */
  private findLiteral(schema: Schema, place: string): unknown {
    const { hasExamples, invalidExamples } = this.options;
    const isWithin = (each: string) => each === place || each.startsWith(`${place}/`);
    const isUsable = hasExamples && ![...invalidExamples].some(isWithin);
    const stated = isUsable ? [schema['example'], ...[schema['examples']].flat(), schema['default']] : [];
    return [...stated, schema['const'], ...[schema['enum']].flat()].find((each) => each !== undefined);
  }

  private expandObject(schema: ObjectSchema, place: string, { expand, omits }: Inner): Schema | undefined {
    const { properties = {}, additionalProperties, required = [] } = schema;
    const expanded = new Map<string, Schema | undefined>();
    for (const name of required.filter((each) => !omits(each)))
      expanded.set(name, expand(properties[name] ?? additionalProperties, name));
    if ([...expanded.values()].includes(undefined)) return undefined;
    const isOptional = (name: string) => !required.includes(name) && this.hasOptional(`${place}/${escapeName(name)}`);
    for (const name of Object.keys(properties))
      if (isOptional(name) && !omits(name)) expanded.set(name, expand(properties[name], name));
    const omitted = Object.keys(properties).filter(omits).length;
    const missing = this.additionalNames(schema, place, expanded.size + omitted).filter((name) => !omits(name));
    for (const name of missing) expanded.set(name, expand(additionalProperties, name));
    // In the order of the schema.
    const names = new Set([...Object.keys(properties), ...expanded.keys()]);
    const entries = [...names].map((name) => [name, expanded.get(name)] as const);
    const found = Object.fromEntries(entries.filter(([, field]) => field !== undefined));
    return withXml(schema, { type: 'object', properties: found, required, maxProperties: schema.maxProperties });
  }

  /** The names of fields that the schema does not name: as many as it requires, and one of a map. */
  private additionalNames(schema: ObjectSchema, place: string, size: number): readonly string[] {
    const { properties = {}, additionalProperties, minProperties = 0 } = schema;
    const isMap = Object.keys(properties).length === 0 && typeof additionalProperties === 'object';
    const sizeMin = Math.max(minProperties, isMap && this.hasOptional(`${place}/property1`) ? 1 : 0);
    const count = Math.max(Math.min(sizeMin, itemsMax) - size, 0);
    return Array.from({ length: count }, (_, index) => `property${String(index + 1)}`);
  }

  private hasOptional(place: string): boolean {
    const { hasOptional, failures } = this.options;
    return hasOptional && this.alternatives.used < optionalPart && !failures.has(placeOf(place));
  }

  private omittedIn(node: Node): Omits {
    const { fields, items } = this.rules.of(node);
    return (name) => this.rules.isMarked('writeOnly', (typeof name === 'number' ? items : fields)?.find(name));
  }

  /**
   * An array has as many items as the schema requires, but at least one if that is possible. It has none that are
   * omitted: in a place of its own, one is null.
   */
  private expandArray(schema: ArraySchema, { expand, omits }: Inner): Schema | undefined {
    const { items, prefixItems = [], minItems = 0, maxItems = Infinity } = schema;
    const first = prefixItems
      .slice(0, maxItems)
      .map((node, index) => (omits(index) ? { const: null } : expand(node, String(index))));
    const isEmpty = omits(prefixItems.length);
    const count = isEmpty ? 0 : Math.max(Math.min(maxItems, Math.max(minItems, 1)) - first.length, 0);
    const expanded = [...first, ...this.expandItems(items, count, expand)];
    const isPossible = !expanded.includes(undefined);
    // openapi-sampler adds an item to an empty list.
    if (isPossible && expanded.length > 0) return withXml(schema, { type: 'array', prefixItems: expanded });
    return isPossible || isEmpty || minItems === 0 ? withXml(schema, { const: [] }) : undefined;
  }

  private expandItems(items: unknown, count: number, expand: Expand): readonly (Schema | undefined)[] {
    if (count === 0) return [];
    if (count > itemsMax) return [undefined];
    const item = this.alternatives.repeat(count, () => expand(items, '0'));
    return this.alternatives.used > 1 ? [undefined] : Array<Schema | undefined>(count).fill(item);
  }
}

function withXml({ xml }: Schema, expanded: Schema): Schema {
  return xml === undefined ? expanded : { ...expanded, xml };
}

function scalarOf(type: unknown, schema: Schema): unknown {
  if (type === 'string') return sampleText(schema);
  if (type === 'integer' || type === 'number') return sampleNumber(schema);
  if (type === 'boolean') return true;
  return type === 'null' ? null : {};
}

type ObjectSchema = Schema & {
  readonly properties?: Schema;
  readonly additionalProperties?: unknown;
  readonly required?: readonly string[];
  readonly minProperties?: number;
  readonly maxProperties?: number;
};

type ArraySchema = Schema & {
  readonly items?: unknown;
  readonly prefixItems?: readonly unknown[];
  readonly minItems?: number;
  readonly maxItems?: number;
};
