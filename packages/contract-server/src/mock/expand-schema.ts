import { escapeName } from '@contract-server/core/contract/json-pointer.js';
import type { Schema, Schemas } from '@contract-server/core/contract/schemas.js';
import { type MemberRules, memberRulesOf } from '@contract-server/core/schema/member-rules.js';
import type { Node } from '@contract-server/core/schema/schema-joins.js';
import { type ArraySchema, itemsOf } from './array-schema.js';
import { isNullable, typeOf } from './merge-schemas.js';
import { isExcluded } from './negate-schema.js';
import { additionalNames, fieldSchema, isMap, type ObjectSchema, withDependent } from './object-schema.js';
import { sampleNumber } from './sample-number.js';
import { sampleText } from './sample-text.js';
import { type FlatSchema, SchemaAlternatives } from './schema-alternatives.js';

/** How many schemas an expansion visits or merges at most, which takes a few milliseconds. */
const visitedMax = 2000;
/** The part of them after which it omits what is optional, so that enough are left for what is required. */
const optionalPart = 0.4;
const depthMax = 30;
const itemsMax = 100;
/** How many values are tried for one that `not` does not exclude. */
const variantsMax = 20;
/** A long text counts as several visits, so that a sample has at most 200,000 characters. */
const charactersPerVisit = 100;
/** Patterns for which no text is found take longest. */
const visitsOfFailure = 200;

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
  /** Selects other values and branches, so that the items of an array differ; 0 for the first ones. */
  readonly variant: number;
}

/** Whether responses omit a field or an item, by any part of its schema: it is `writeOnly`. */
type Omits = (name: string | number) => boolean;

type FlatPosition = Omit<Position, 'followed'> & { readonly omits: Omits };

/** Expands the schema of a field or an item. */
type Expand = (node: unknown, name: string, variant?: number) => Schema | undefined;

interface Inner {
  readonly place: string;
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
export function expandSchema(schemas: Schemas, root: unknown, options: ExpansionOptions) {
  const alternatives = new SchemaAlternatives(schemas, visitedMax);
  const schema = new Expansion(alternatives, memberRulesOf(schemas), options).expand(root, {
    place: '',
    depth: 0,
    followed: [],
    variant: 0,
  });
  return { schema, visited: alternatives.visited };
}

class Expansion {
  constructor(
    private readonly alternatives: SchemaAlternatives,
    private readonly rules: MemberRules,
    private readonly options: ExpansionOptions,
  ) {}

  expand(node: unknown, { place, depth, followed, variant }: Position): Schema | undefined {
    if (depth > depthMax) return undefined;
    const failures = this.failuresOf(place);
    let canBeNull = false;
    const omits = this.omittedIn(node as Node);
    for (const flat of this.alternatives.of(node, { followed, branch: failures + variant })) {
      canBeNull ||= isNullable(flat.schema);
      if (canBeNull && failures === 2) break;
      const expanded = this.expandFlat(flat, { place, depth, omits, variant });
      if (expanded !== undefined) return expanded;
    }
    return canBeNull ? { const: null } : undefined;
  }

  private expandFlat({ schema, followed }: FlatSchema, position: FlatPosition): Schema | undefined {
    const { place, depth, omits, variant } = position;
    const literal = this.findLiteral(schema, position);
    if (literal !== undefined) return withXml(schema, { const: literal });
    const expand: Expand = (node, name, inner = variant) => {
      const at = `${place}/${placeOf(escapeName(name))}`;
      return this.expand(node, { place: at, depth: depth + 1, followed, variant: inner });
    };
    const type = typeOf(schema);
    if (type === 'object') return this.expandObject(schema, { place, expand, omits });
    if (type === 'array') return this.expandArray(schema, { place, expand, omits });
    const value = this.scalarOf(type, schema, position);
    return value === undefined ? undefined : withXml(schema, { const: value });
  }

  /** A value that the schema states. */
  private findLiteral(schema: Schema, { place, variant }: FlatPosition): unknown {
    const { hasExamples, invalidExamples } = this.options;
    const isWithin = (each: string) => each === place || each.startsWith(`${place}/`);
    const isUsable = hasExamples && ![...invalidExamples].some(isWithin);
    const stated = isUsable ? [schema['example'], ...[schema['examples']].flat(), schema['default']] : [];
    const examples = stated.filter((each) => each !== undefined);
    if (examples.length > variant) return examples[variant];
    const listed = [schema['const'], ...[schema['enum']].flat()].filter((each) => each !== undefined);
    const allowed = listed.filter((each) => !isExcluded(schema, each));
    return allowed[(variant + this.failuresOf(place)) % allowed.length];
  }

  /** A value of another type than objects and arrays: the first one that is not excluded. */
  private scalarOf(type: unknown, schema: Schema, { place, variant }: FlatPosition): unknown {
    const first = variant + this.failuresOf(place);
    for (let index = first; index < first + variantsMax; index += 1) {
      const value = scalarOf(type, schema, index);
      this.charge(value);
      if (value === undefined || !isExcluded(schema, value)) return value;
    }
    return undefined;
  }

  /** Counts what it took to find a value, or that none was found. */
  private charge(value: unknown): void {
    if (typeof value === 'string') this.alternatives.visited += Math.floor(value.length / charactersPerVisit);
    if (value === undefined) this.alternatives.visited += visitsOfFailure;
  }

  private failuresOf(place: string): number {
    return this.options.failures.get(place) ?? 0;
  }

  private expandObject(schema: ObjectSchema, inner: Inner): Schema | undefined {
    const { properties = {}, minProperties = 0 } = schema;
    const { place, expand, omits } = inner;
    const fields = new Map<string, Schema | undefined>();
    const add = (names: Iterable<string>) => {
      for (const name of names)
        if (!fields.has(name) && !omits(name)) fields.set(name, expand(fieldSchema(schema, name), name));
    };
    const required = withDependent(schema, schema.required ?? []);
    add(required);
    if ([...fields.values()].includes(undefined)) return undefined;
    const isOptional = (name: string) => !fields.has(name) && this.hasOptional(`${place}/${escapeName(name)}`);
    add(withDependent(schema, Object.keys(properties).filter(isOptional)));
    const taken = new Set([...Object.keys(properties), ...fields.keys()]);
    const size = [...taken].filter((name) => omits(name) || fields.get(name) !== undefined).length;
    if (minProperties - size > itemsMax) return undefined;
    add(this.additionalNames(schema, place, { size, taken }));
    return objectOf(schema, fields, [...required]);
  }

  /** The names of fields that the schema does not name: as many as it requires, and one of a map. */
  private additionalNames(
    schema: ObjectSchema,
    place: string,
    { size, taken }: { readonly size: number; readonly taken: ReadonlySet<string> },
  ): readonly string[] {
    const { propertyNames, minProperties = 0 } = schema;
    const sizeMin = Math.max(minProperties, isMap(schema) && this.hasOptional(`${place}/property1`) ? 1 : 0);
    const count = Math.max(sizeMin - size, 0);
    if (count === 0) return [];
    const [names] = this.alternatives.of(propertyNames ?? {}, { followed: [], branch: this.failuresOf(place) });
    const found = additionalNames(schema, names?.schema ?? {}, count, taken);
    for (const name of found) this.charge(name);
    return found;
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
  private expandArray(schema: ArraySchema, inner: Inner): Schema | undefined {
    const { prefixItems = [], minItems = 0, maxItems = Infinity } = schema;
    const { expand, omits } = inner;
    const first = prefixItems
      .slice(0, maxItems)
      .map((node, index) => (omits(index) ? { const: null } : expand(node, String(index))));
    const isEmpty = omits(prefixItems.length);
    const count = isEmpty ? 0 : Math.max(Math.min(maxItems, Math.max(minItems, 1)) - first.length, 0);
    const expanded = [...first, ...this.expandItems(schema, count, maxItems - first.length, inner)];
    const isPossible = !expanded.includes(undefined);
    // openapi-sampler adds an item to an empty list.
    if (isPossible && expanded.length > 0) return withXml(schema, { type: 'array', prefixItems: expanded });
    return isPossible || isEmpty || minItems === 0 ? withXml(schema, { const: [] }) : undefined;
  }

  private expandItems(schema: ArraySchema, count: number, countMax: number, { expand }: Inner) {
    const { total, nodeAt, differ } = itemsOf(schema, count, countMax);
    if (total === 0) return [];
    if (total > itemsMax) return [undefined];
    const variantOf = (index: number) => (schema.uniqueItems === true ? index : undefined);
    if (differ) return Array.from({ length: total }, (_, index) => expand(nodeAt(index), '0', variantOf(index)));
    const item = this.alternatives.repeat(total, () => expand(nodeAt(0), '0'));
    return this.alternatives.used > 1 ? [undefined] : Array<Schema | undefined>(total).fill(item);
  }
}

/** The fields, in the order of the schema. */
function objectOf(schema: ObjectSchema, fields: ReadonlyMap<string, Schema | undefined>, required: readonly string[]) {
  const names = new Set([...Object.keys(schema.properties ?? {}), ...fields.keys()]);
  const entries = [...names].map((name) => [name, fields.get(name)] as const);
  const properties = Object.fromEntries(entries.filter(([, field]) => field !== undefined));
  return withXml(schema, { type: 'object', properties, required, maxProperties: schema.maxProperties });
}

function withXml({ xml }: Schema, expanded: Schema): Schema {
  return xml === undefined ? expanded : { ...expanded, xml };
}

function scalarOf(type: unknown, schema: Schema, variant: number): unknown {
  if (type === 'string') return sampleText(schema, variant);
  if (type === 'integer' || type === 'number') return sampleNumber(schema, variant);
  if (type === 'boolean') return variant % 2 === 0;
  if (type === 'null') return null;
  // A value of any type.
  return variant === 0 ? {} : variant;
}
