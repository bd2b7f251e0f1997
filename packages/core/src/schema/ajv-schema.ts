import type { Schema } from '../contract/schemas.js';
import { isMereReference } from './annotations.js';
import { addDefaults } from './default-values.js';
import { isUnion } from './distinct-errors.js';
import { limitsNumbers, withExactNumber } from './exact-number.js';
import { OmissionScope, type Scoped } from './omission-scopes.js';
import { createRegExp } from './patterns.js';
import { type TaggedUnion, taggedUnions } from './tagged-unions.js';
import { type UnionKeyword, type UnionTag, unionKeywords, unionTagsOf } from './union-tags.js';

/** How a schema is translated for Ajv. */
export interface Translation extends Scoped<Translation> {
  /** Returns the id in Ajv of a schema that a reference leads to, in the same translation. */
  readonly refer: (target: object) => string;
  /** Whether Ajv fills in the defaults of the schema. */
  readonly hasDefaults: boolean;
  /** The translation of schemas that may not apply: without defaults. Ajv would fill them in through references. */
  readonly alternative: () => Translation;
  /** The translation of a schema that may not apply but whose errors are reported; `undefined` if none are. */
  readonly reported?: (() => Translation) | undefined;
}

const schemaMaps = ['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'];
const schemaLists = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const conditions = /^(?:not|if|contains)$/;
const subschema =
  /^(?:(?:additional|unevaluated)Properties|(?:unevaluatedI|i)tems|propertyNames|contains|not|if|then|else)$/;

/**
 * Returns a schema of the contract in the form that Ajv validates exactly: numbers by `exactNumber`, `nullable` and
 * `exclusiveMinimum` of OpenAPI 3.0, tags of unions, `readOnly` and `writeOnly`. What Ajv would read otherwise is
 * removed: identifiers, and patterns that JavaScript cannot compile.
 */
export function toAjvSchema(schema: unknown, translation: Translation): unknown {
  if (typeof schema !== 'object' || schema === null) return schema;
  const { default: value, ...translated } = translate(schema as Schema, translation);
  return value === undefined || !translation.hasDefaults ? translated : { ...translated, default: value };
}

function translate(schema: Schema, translation: Translation): Schema {
  const copy: Record<string, unknown> = { ...schema };
  for (const name of removed) Reflect.deleteProperty(copy, name);
  removeUncompilable(copy);
  const scope = OmissionScope.of(schema, translation);
  if (typeof copy['$ref'] === 'string') {
    const $ref = (scope?.parts ?? translation).refer(targetOf(schema, translation));
    // Ajv fills in no default of a referenced schema.
    const { default: value } = translation.schemas.resolve(schema);
    // In OpenAPI 3.0, a reference has no siblings (section 4.7.23).
    if (translation.schemas.isVersion30) return { $ref, default: value };
    Object.assign(copy, { $ref, default: copy['default'] ?? value });
  }
  const unions = findUnions(schema, translation, scope);
  scope?.relax(copy, unions.oneOf?.isExclusive === true);
  translateInner(copy, unions, translation, scope);
  Reflect.deleteProperty(copy, 'discriminator');
  scope?.forbid(copy);
  addDefaults(copy);
  movePrototype(copy);
  return withNullable(withNumber(copy, translation));
}

/** The schema that a reference leads to, also through others that add nothing to it. */
function targetOf(reference: Schema, { schemas }: Translation): Schema {
  const followed = new Set([reference]);
  for (const schema of followed) {
    if (schema !== reference && !isMereReference(schema, schemas.isVersion30)) break;
    followed.add(schemas.at(schema['$ref'] as string) as Schema);
  }
  return [...followed].at(-1) as Schema;
}

/** What has no effect, or only through references to it, and what Ajv would read or refuse. */
const removed = '$async example examples id $id $anchor $dynamicAnchor $schema exactNumber defaults'.split(' ');

/** Without one of its patterns, an object can have any other field. No value is in an empty `enum`. */
function removeUncompilable(schema: Record<string, unknown>): void {
  const { pattern, patternProperties = {}, enum: values } = schema;
  if (Array.isArray(values) && values.length === 0) {
    delete schema['enum'];
    schema['not'] = {};
  }
  if (typeof pattern === 'string' && createRegExp(pattern) === undefined) delete schema['pattern'];
  const patterns = Object.entries(patternProperties as Schema);
  const compiled = patterns.filter(([each]) => createRegExp(each) !== undefined);
  if (compiled.length < patterns.length) {
    schema['patternProperties'] = Object.fromEntries(compiled);
    delete schema['additionalProperties'];
    delete schema['unevaluatedProperties'];
  }
}

/** Ajv ignores a property that is called `__proto__`. */
function movePrototype(schema: Record<string, unknown>): void {
  const { properties, patternProperties } = schema as Readonly<Record<string, Schema | undefined>>;
  if (properties === undefined || !Object.hasOwn(properties, '__proto__')) return;
  const { ['__proto__']: prototype, ...others } = properties;
  schema['properties'] = others;
  schema['patternProperties'] = { ...patternProperties, '^__proto__$': prototype };
}

type Unions = Partial<Record<UnionKeyword, UnionTag>>;

/** The unions of a schema that have a tag, which a message without the tag does not have. */
function findUnions(schema: Schema, { schemas }: Translation, scope: OmissionScope<Translation> | undefined): Unions {
  const entries = unionKeywords.flatMap((keyword) => {
    const tag = unionTagsOf(schemas).of(schema, keyword);
    return tag === undefined || scope?.omits(tag.name) === true ? [] : [[keyword, tag] as const];
  });
  return Object.fromEntries(entries);
}

function translateInner(
  schema: Record<string, unknown>,
  unions: Unions,
  translation: Translation,
  scope: OmissionScope<Translation> | undefined,
): void {
  const tagged: Partial<Record<UnionKeyword, TaggedUnion>> = {};
  for (const [name, value] of Object.entries(schema)) {
    const union = Object.hasOwn(unions, name) ? unions[name as UnionKeyword] : undefined;
    const mayNotApply = (key: string | number) =>
      union?.isExclusive === true ? union.others.includes(key as number) : isCondition(name, schema);
    const innerOf = (node: unknown, key: string | number) => scope?.inner(name, key, node) ?? translation;
    const translate = (node: unknown, key: string | number = 0) => {
      const inner = innerOf(node, key);
      return toAjvSchema(node, mayNotApply(key) ? inner.alternative() : inner);
    };
    if (union !== undefined)
      tagged[name as UnionKeyword] = { ...union, reported: reportedBranches(union, value as unknown[], innerOf) };
    if (schemaMaps.includes(name)) schema[name] = mapValues(value as Schema, translate);
    else if (schemaLists.includes(name)) schema[name] = (value as unknown[]).map(translate);
    else if (subschema.test(name)) schema[name] = translate(value);
  }
  if (Object.keys(tagged).length > 0) Object.assign(schema, { [taggedUnions]: tagged });
}

/** The translations of the branches of a union whose errors are reported. An exclusive one reports them itself. */
function reportedBranches(
  { isExclusive }: UnionTag,
  branches: readonly unknown[],
  innerOf: (node: unknown, index: number) => Translation,
): TaggedUnion['reported'] {
  if (isExclusive) return [];
  return branches.flatMap((node, index) => {
    const reported = innerOf(node, index).reported?.();
    return reported === undefined ? [] : [toAjvSchema(node, reported) as object];
  });
}

/** Whether the schemas of a keyword may not apply to a valid value. */
function isCondition(name: string, { [name]: schemas }: Schema): boolean {
  return name === 'anyOf' || name === 'oneOf' ? isUnion(schemas) : conditions.test(name);
}

/** Maps the values of an object, such as the schemas of properties. */
export function mapValues(values: Schema, map: (value: unknown, name: string) => unknown): Schema {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value, name)]));
}

function withNumber(schema: Schema, { schemas }: Translation): Schema {
  const types = [schema['type']].flat();
  const isNumber = types.includes('integer') || types.includes('number');
  return isNumber || (schema['type'] === undefined && limitsNumbers(schema))
    ? withExactNumber(schema, schemas.isVersion30)
    : schema;
}

/** Ajv supports `nullable` beside `type` only. Elsewhere, generators mean by it that null is allowed too. */
function withNullable({ nullable, ...schema }: Schema): Schema {
  if (nullable !== true) return schema;
  const { default: value, type } = schema;
  return type === undefined ? { anyOf: [{ type: 'null' }, schema], default: value } : { ...schema, nullable };
}
