import type { Schema, Schemas } from '@contract-server/core/contract/schemas.js';
import { type UnionKeyword, unionKeywords, unionTagsOf } from '@contract-server/core/schema/union-tags.js';
import { mergeSchemas, withoutExamples } from './merge-schemas.js';
import { negate } from './negate-schema.js';

/** A schema without references, `allOf`, `oneOf`, `anyOf`, `if` and `dependentSchemas`. */
export interface FlatSchema {
  readonly schema: Schema;
  /** The references that lead to it, from the root on. */
  readonly followed: readonly string[];
}

/** Where alternatives are looked for. */
interface Start {
  /** A reference that leads to itself is not followed again. */
  readonly followed: readonly string[];
  /** The index of the first branch of `oneOf` and `anyOf`, modulo their number. */
  readonly branch: number;
}

/** Finds the alternatives of schemas, until a number of schemas has been visited or merged. */
export class SchemaAlternatives {
  /** The number of schemas that have been visited or merged. */
  visited = 0;

  constructor(
    private readonly schemas: Schemas,
    private readonly visitedMax: number,
  ) {}

  /** The part of the visits that has been used, of 1. */
  get used(): number {
    return this.visited / this.visitedMax;
  }

  /** Calls `visit`, and counts its visits several times. */
  repeat<Result>(times: number, visit: () => Result): Result {
    const { visited } = this;
    const result = visit();
    this.visited = Math.min(visited + (this.visited - visited) * times, this.visitedMax + 1);
    return result;
  }

  /** The combinations of branches of a schema, each with what its references and `allOf` add. */
  *of(node: unknown, start: Start): Generator<FlatSchema, void> {
    this.visited += 1;
    if (node === false || this.used > 1) return;
    const { $ref, ...siblings } = Object(node) as Composed;
    if ($ref === undefined) return yield* this.combineParts(siblings, [], start);
    if (start.followed.includes($ref)) return;
    const next = { ...start, followed: [...start.followed, $ref] };
    const target = this.schemas.at($ref);
    // In OpenAPI 3.0, a reference has no siblings (section 4.7.23).
    if (this.schemas.isVersion30) yield* this.of(target, next);
    else yield* this.combineParts(siblings, [[target]], next);
  }

  private *combineParts(composed: Composed, target: Lists, start: Start): Generator<FlatSchema, void> {
    const {
      allOf = [],
      oneOf: _oneOf,
      anyOf: _anyOf,
      discriminator: _,
      if: _if,
      then: _then,
      else: _else,
      ...own
    } = composed;
    const unions = unionKeywords.filter((keyword) => (composed[keyword] ?? []).length > 0);
    const lists = unions.map((keyword) => rotate(this.withTags(composed, keyword), start.branch));
    const conditions = conditionsOf(composed).map((list) => rotate(list, start.branch));
    const parts = [...target, ...allOf.map((part) => [part]), ...lists, ...conditions];
    const isWhole = own['properties'] === undefined && parts.length < 2;
    for (const { schema, followed } of this.combine(parts, start)) {
      this.visited += 1;
      const merged = mergeSchemas(isWhole ? schema : withoutExamples(schema), own);
      if (merged !== undefined) yield { schema: merged, followed };
    }
  }

  /** The combinations of one schema of each list. */
  private *combine([first, ...rest]: Lists, start: Start): Generator<FlatSchema, void> {
    if (first === undefined) {
      yield { schema: {}, followed: start.followed };
      return;
    }
    for (const node of first)
      for (const head of this.of(node, start))
        for (const tail of this.combine(rest, { ...start, followed: head.followed })) {
          this.visited += 1;
          if (this.used > 1) return;
          const schema = mergeSchemas(head.schema, tail.schema);
          if (schema !== undefined) yield { ...tail, schema };
        }
  }

  /** The branches of a union, each with the value of the property that a `discriminator` names. */
  private withTags(composed: Composed, keyword: UnionKeyword): readonly unknown[] {
    const branches = composed[keyword] ?? [];
    const tag = composed['discriminator'] === undefined ? undefined : unionTagsOf(this.schemas).of(composed, keyword);
    return branches.map((branch, index) => {
      const [value] = [...(tag?.branches ?? [])].find(([, selected]) => selected === index) ?? [];
      if (tag === undefined || value === undefined) return branch;
      return { allOf: [branch, { required: [tag.name], properties: { [tag.name]: { const: value } } }] };
    });
  }
}

/** What `if`, `dependentSchemas` and `not` allow: a list of alternatives for each of them. */
function conditionsOf({ if: condition, then = true, else: other = true, dependentSchemas = {}, not }: Composed): Lists {
  const dependent = Object.entries(dependentSchemas).map(([name, schema]) => [
    { allOf: [{ required: [name] }, schema] },
    { properties: { [name]: false } },
  ]);
  const negated = negate(not);
  return [
    ...(condition === undefined ? [] : [[{ allOf: [condition, then] }, { allOf: [{ not: condition }, other] }]]),
    ...dependent,
    ...(negated.length === 0 ? [] : [negated]),
  ];
}

/** The fields of an object that the first alternative of a schema declares, each without references. */
export function propertiesOf(schemas: Schemas, schema: unknown): Readonly<Record<string, Schema>> {
  const alternatives = new SchemaAlternatives(schemas, 500);
  const first = (node: unknown): Schema => {
    for (const found of alternatives.of(node, { followed: [], branch: 0 })) return found.schema;
    return {};
  };
  const { properties = {} } = first(schema) as { readonly properties?: Schema };
  return Object.fromEntries(Object.entries(properties).map(([name, node]) => [name, first(node)]));
}

/** A list from an index on. */
function rotate(list: readonly unknown[], index: number): readonly unknown[] {
  const at = index % list.length;
  return [...list.slice(at), ...list.slice(0, at)];
}

/** Schemas to combine: one of each list applies. */
type Lists = readonly (readonly unknown[])[];

type Composed = Schema & {
  readonly $ref?: string;
  readonly if?: unknown;
  readonly then?: unknown;
  readonly else?: unknown;
  readonly dependentSchemas?: Schema;
  readonly not?: unknown;
  readonly allOf?: readonly unknown[];
  readonly oneOf?: readonly unknown[];
  readonly anyOf?: readonly unknown[];
};
