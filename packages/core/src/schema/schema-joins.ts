import type { Schema, Schemas } from '../contract/schemas.js';

/** A schema; OpenAPI 3.1 has boolean ones. */
export type Node = Schema | boolean;

type JoinKeyword = 'allOf' | 'anyOf';

/** What a joined schema consists of. */
interface Join {
  readonly keyword: JoinKeyword;
  readonly parts: readonly Schema[];
  readonly depth: number;
}

/** How deep joins of both keywords are nested; with deeper ones, a contract could have any number of joins. */
const depthMax = 4;

/** Allows anything, and declares nothing. */
const anything: Schema = {};

/**
 * The schemas of members that several schemas declare. A join is a set: the same schemas, in any order and however
 * often, have the same join, so that a recursive contract has a limited number of them.
 */
export class SchemaJoins {
  private readonly ids = new WeakMap<Schema, number>();
  private readonly joins = new WeakMap<Schema, Join>();
  private readonly known = new Map<string, Schema>();
  private count = 0;

  constructor(private readonly schemas: Schemas) {}

  /** The schema of values to which all schemas apply; `undefined` if there are none. */
  all(nodes: readonly (Node | undefined)[]): Node | undefined {
    const declared = nodes.filter((node) => node !== undefined);
    if (declared.includes(false)) return false;
    const schemas = declared.filter((node) => typeof node === 'object');
    return schemas.length === 0 ? declared[0] : this.join('allOf', schemas);
  }

  /** The schema of values to which one of the schemas applies; `undefined` if there are none. */
  any(nodes: readonly Node[]): Node | undefined {
    const schemas = nodes.filter((node) => typeof node === 'object');
    const hasAnything = nodes.includes(true);
    if (schemas.length === 0) return hasAnything || nodes[0];
    // A branch that allows anything leaves the others in force, because they can be `writeOnly`.
    return this.join('anyOf', hasAnything ? [...schemas, anything] : schemas);
  }

  private join(keyword: JoinKeyword, schemas: readonly Schema[]): Schema {
    const [first] = schemas;
    if (first !== undefined && schemas.length === 1) return first;
    const parts = new Set(schemas.flatMap((schema) => this.partsOf(keyword, this.targetOf(schema))));
    const depth = 1 + Math.max(...[...parts].map((part) => this.joins.get(part)?.depth ?? 0));
    if (depth > depthMax) return this.create('anyOf', new Set([...parts].flatMap((part) => this.sourcesOf(part))), 1);
    return this.create(keyword, parts, depth);
  }

  private create(keyword: JoinKeyword, set: ReadonlySet<Schema>, depth: number): Schema {
    const parts = [...set].sort((one, other) => this.idOf(one) - this.idOf(other));
    if (parts.length === 1) return parts[0] as Schema;
    const key = [keyword, ...parts.map((part) => this.idOf(part))].join(' ');
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const joined = { [keyword]: parts };
    this.known.set(key, joined);
    this.joins.set(joined, { keyword, parts, depth });
    return joined;
  }

  private partsOf(keyword: JoinKeyword, schema: Schema): readonly Schema[] {
    const join = this.joins.get(schema);
    return join?.keyword === keyword ? join.parts : [schema];
  }

  /** The schemas of the contract that a join consists of. */
  private sourcesOf(schema: Schema): readonly Schema[] {
    const join = this.joins.get(schema);
    return join === undefined ? [schema] : join.parts.flatMap((part) => this.sourcesOf(part));
  }

  /** What a mere reference leads to: loading refuses cycles of these. */
  private targetOf(schema: Schema): Schema {
    const { $ref } = schema;
    if (typeof $ref !== 'string' || Object.keys(schema).length > 1) return schema;
    const target = this.schemas.at($ref);
    return typeof target === 'object' && target !== null ? this.targetOf(target as Schema) : schema;
  }

  private idOf(schema: Schema): number {
    const id = this.ids.get(schema) ?? (this.count += 1);
    this.ids.set(schema, id);
    return id;
  }
}
