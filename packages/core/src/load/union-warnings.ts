import { isDeepStrictEqual } from 'node:util';
import type { Schema, Schemas } from '../contract/schemas.js';
import { allowsAnything, isAnnotation } from '../schema/annotations.js';
import { allowsObjects } from '../schema/tag-rules.js';
import { type Discriminator, nameOf, unionTagsOf } from '../schema/union-tags.js';
import type { CheckedSchema } from './check-schemas.js';
import type { LocatedProblem } from './problem-lines.js';

/** Finds objects that a contract describes, but that its `oneOf` rejects, and tags that the mapped schema rejects. */
export function unionWarnings(schemas: Schemas, checked: readonly CheckedSchema[]): LocatedProblem[] {
  const warnings = new Map<object, LocatedProblem[]>();
  for (const { schema: node, place } of checked) {
    if (warnings.has(node)) continue;
    const schema = node as Union;
    const tags = forbiddenTags(schemas, schema).map(
      ([tag, name]): LocatedProblem => ({
        message: `The mapping of ${tag} leads to a schema whose \`${name}\` is never ${tag}.`,
        place: place.child(['discriminator', 'mapping', tag]),
      }),
    );
    const repeated = repeatedBranch(schemas, schema);
    const message = `Objects of ${repeated?.name ?? ''} also match ${repeated?.other ?? ''}, so \`oneOf\` rejects them.`;
    const branches = repeated === undefined ? [] : [{ message, place: place.child(['oneOf', repeated.index]) }];
    warnings.set(node, [...tags, ...branches]);
  }
  return [...warnings.values()].flat();
}

/** The values of `mapping` that the schema which they lead to does not allow, with the name of their property. */
function forbiddenTags(schemas: Schemas, schema: Union): readonly (readonly [tag: string, name: string])[] {
  const { propertyName: name, mapping = {} } = schema.discriminator ?? {};
  if (name === undefined) return [];
  const tags = unionTagsOf(schemas);
  const isForbidden = ([tag, named]: readonly [string, string]) =>
    tags.ruleOf(tags.findNamed(named), name).values?.includes(tag) === false;
  return Object.entries(mapping)
    .filter(isForbidden)
    .map(([tag]) => [tag, name]);
}

/** The first branch of `oneOf` whose objects are valid for another one too, if they have no undeclared fields. */
function repeatedBranch(schemas: Schemas, schema: Union) {
  const { oneOf = [] } = schemas.keywordsOf(schema) as Union;
  const tags = unionTagsOf(schemas);
  if (tags.of(schema, 'oneOf')?.isExclusive === true) return undefined;
  const shapes = oneOf.map((branch) => (allowsObjects(tags.ruleOf(branch, '')) ? shapeOf(schemas, branch) : undefined));
  for (const [index, shape] of shapes.entries()) {
    const other = shapes.findIndex((each, at) => at !== index && shape !== undefined && each && isWithin(shape, each));
    if (other >= 0) return { index, name: titleOf(oneOf, index), other: titleOf(oneOf, other) };
  }
  return undefined;
}

function titleOf(branches: readonly unknown[], index: number): string {
  const name = nameOf(branches[index]);
  return name === undefined ? `branch ${String(index + 1)}` : `\`${name}\``;
}

/** What a schema requires of objects, if it consists of simple keywords. */
interface Shape {
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required: readonly string[];
  readonly isClosed: boolean;
}

const simple = /^(?:type|properties|required|additionalProperties|discriminator)$/;

function shapeOf(schemas: Schemas, node: unknown, seen = new Set<unknown>()): Shape | undefined {
  if (typeof node !== 'object' || node === null || seen.has(node)) return undefined;
  seen.add(node);
  const { $ref: _reference, allOf: _parts, ...own } = schemas.keywordsOf(node as Schema) as Union;
  return schemas.partsOf(node as Schema).reduce((joined: Shape | undefined, part) => {
    const other = shapeOf(schemas, part, seen);
    return joined && other && joinShapes(joined, other);
  }, ownShape(own));
}

function ownShape(schema: Union): Shape | undefined {
  const { properties = {}, required = [], additionalProperties = true } = schema;
  const isSimple = Object.keys(schema).every((keyword) => simple.test(keyword) || isAnnotation(keyword));
  return isSimple && typeof additionalProperties === 'boolean'
    ? { properties, required, isClosed: !additionalProperties }
    : undefined;
}

function joinShapes(one: Shape, other: Shape): Shape | undefined {
  // Which fields remain depends on both.
  if (one.isClosed || other.isClosed) return isEmpty(one) ? other : isEmpty(other) ? one : undefined;
  const isShared = (name: string) => Object.hasOwn(one.properties, name);
  if (Object.keys(other.properties).some(isShared)) return undefined;
  return {
    properties: { ...one.properties, ...other.properties },
    required: [...one.required, ...other.required],
    isClosed: false,
  };
}

function isEmpty({ properties, required, isClosed }: Shape): boolean {
  return Object.keys(properties).length === 0 && required.length === 0 && !isClosed;
}

/** Whether objects with the fields of one shape are valid for another one. */
function isWithin(one: Shape, other: Shape): boolean {
  const isAllowed = (name: string) => {
    if (!Object.hasOwn(other.properties, name)) return !other.isClosed;
    const schema = other.properties[name];
    return (
      isDeepStrictEqual(schema, one.properties[name]) || schema === true || allowsAnything(Object(schema) as object)
    );
  };
  return other.required.every((name) => one.required.includes(name)) && Object.keys(one.properties).every(isAllowed);
}

type Union = Schema & {
  readonly $ref?: string;
  readonly discriminator?: Discriminator;
  readonly oneOf?: readonly unknown[];
  readonly allOf?: readonly unknown[];
  readonly properties?: Schema;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
};
