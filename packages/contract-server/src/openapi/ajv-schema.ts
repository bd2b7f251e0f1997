import { allowsAnything } from './annotations.js';
import { addDefaults } from './default-values.js';
import { type Schema, withExactNumber } from './exact-number.js';
import { findAt } from './json-pointer.js';
import { OmissionScope, type Scoped } from './omission-scopes.js';
import { resolve } from './operations.js';
import { backtrackedTextMax, createRegExp, mayTakeLong } from './patterns.js';
import type { SchemaDocument } from './schema-document.js';

/** How a schema is translated for Ajv. */
export interface Translation extends Scoped<Translation> {
  /** Returns the id in Ajv of a schema that a reference leads to, in the same translation. */
  readonly refer: (target: object) => string;
  /** Returns a schema in which texts that patterns are matched with are limited. */
  readonly hasDefaults: boolean;
  /** The translation of schemas that may not apply: without defaults. Ajv would fill them in through references. */
  readonly alternative: () => Translation;
  readonly document: SchemaDocument;
}

const schemaMaps = ['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'];
const schemaLists = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const conditions = /^(?:not|if|contains)$/;
const subschema =
  /^(?:(?:additional|unevaluated)Properties|(?:unevaluatedI|i)tems|propertyNames|contains|not|if|then|else)$/;

/**
 * Returns a schema of the contract in the form that Ajv validates exactly: numbers by `exactNumber`, `nullable` and
 * `exclusiveMinimum` of OpenAPI 3.0, `discriminator`, `readOnly` and `writeOnly`. What Ajv would read otherwise is
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
  limitTexts(copy);
  const scope = OmissionScope.of(schema, translation);
  if (typeof copy['$ref'] === 'string') {
    const $ref = (scope?.parts ?? translation).refer(targetOf(schema, translation));
    // Ajv fills in no default of a referenced schema.
    const { default: value } = resolve(translation.document, schema);
    // In OpenAPI 3.0, a reference has no siblings (section 4.7.23).
    if (translation.isVersion30) return { $ref, default: value };
    Object.assign(copy, { $ref, default: copy['default'] ?? value });
  }
  scope?.relax(copy);
  translateInner(copy, translation, scope);
  scope?.forbid(copy);
  addDefaults(copy);
  return withNullable(withNumber(withDiscriminator(copy, schema, translation), translation));
}

/** The schema that a reference leads to, also through others that add nothing to it. */
function targetOf(reference: Schema, { document, isVersion30 }: Translation): Schema {
  const followed = new Set([reference]);
  for (const { $ref, ...siblings } of followed) {
    if (typeof $ref !== 'string' || (!isVersion30 && followed.size > 1 && !allowsAnything(siblings))) break;
    followed.add(findAt(document, $ref) as Schema);
  }
  return [...followed].at(-1) as Schema;
}

/** What has no effect, or only through references to it, and what Ajv would read or refuse. */
const removed = 'example examples id $id $anchor $dynamicAnchor $schema exactNumber defaults'.split(' ');

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

/** Where matching takes more than linear time, texts without a `maxLength` and names are short. */
function limitTexts(schema: Record<string, unknown>): void {
  const { pattern, patternProperties = {}, propertyNames = true } = schema;
  if (typeof pattern === 'string' && schema['maxLength'] === undefined && mayTakeLong(pattern))
    schema['maxLength'] = backtrackedTextMax;
  if (Object.keys(patternProperties as Schema).some(mayTakeLong))
    schema['propertyNames'] = { allOf: [{ maxLength: backtrackedTextMax }, propertyNames] };
}

function translateInner(
  schema: Record<string, unknown>,
  translation: Translation,
  scope: OmissionScope<Translation> | undefined,
): void {
  for (const [name, value] of Object.entries(schema)) {
    const mayNotApply = isCondition(name, schema);
    const translate = (node: unknown, key: string | number = 0) => {
      const inner = scope?.inner(name, key, node) ?? translation;
      return toAjvSchema(node, mayNotApply ? inner.alternative() : inner);
    };
    if (schemaMaps.includes(name)) schema[name] = mapValues(value as Schema, translate);
    else if (schemaLists.includes(name)) schema[name] = (value as unknown[]).map(translate);
    else if (subschema.test(name)) schema[name] = translate(value);
  }
}

/** Whether the schemas of a keyword may not apply to a valid value. */
function isCondition(name: string, { [name]: schemas, discriminator }: Schema): boolean {
  if (name !== 'anyOf' && name !== 'oneOf') return conditions.test(name);
  return discriminator === undefined && (schemas as readonly Schema[]).filter(({ type }) => type !== 'null').length > 1;
}

/** Maps the values of an object, such as the schemas of properties. */
export function mapValues(values: Schema, map: (value: unknown, name: string) => unknown): Schema {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value, name)]));
}

function withNumber(schema: Schema, { isVersion30 }: Translation): Schema {
  const types = [schema['type']].flat();
  return types.includes('integer') || types.includes('number') ? withExactNumber(schema, isVersion30) : schema;
}

/** Ajv supports `nullable` beside `type` only. Elsewhere, generators mean by it that null is allowed too. */
function withNullable({ nullable, ...schema }: Schema): Schema {
  if (nullable !== true) return schema;
  const { default: value, type } = schema;
  return type === undefined ? { anyOf: [{ type: 'null' }, schema], default: value } : { ...schema, nullable };
}

/**
 * Ajv's own `discriminator` requires that each branch lists its values. They are those of `mapping`, those of `const`
 * or `enum` in the branch, or the name of its schema (OpenAPI 3.1.1, section 4.8.25). If two branches have the same
 * value, it selects none, and is an annotation.
 */
function withDiscriminator(copy: Schema, schema: Schema, translation: Translation): Schema {
  const { discriminator, ...annotated } = copy;
  const { oneOf, anyOf, ...others } = annotated;
  const sources = (schema['oneOf'] ?? schema['anyOf']) as readonly Schema[] | undefined;
  const branches = (oneOf ?? anyOf) as readonly Schema[] | undefined;
  // Without alternatives, it is an annotation.
  if (discriminator === undefined || sources === undefined || branches === undefined) return annotated;
  const { propertyName: name, mapping = {} } = discriminator as Discriminator;
  const tags = sources.map((source) => tagsOf(source, name, mapping, translation.document));
  if (new Set(tags.flat()).size < tags.flat().length) return annotated;
  const branchOf = (branch: Schema, index: number) => ({
    required: [name],
    properties: { [name]: { enum: tags[index] } },
    allOf: [branch],
  });
  return { type: 'object', ...others, discriminator: { propertyName: name }, oneOf: branches.map(branchOf) };
}

interface Discriminator {
  readonly propertyName: string;
  readonly mapping?: Readonly<Record<string, string>>;
}

/** The values of the property that select a branch. */
export function tagsOf(
  branch: Schema,
  propertyName: string,
  mapping: Readonly<Record<string, string>>,
  document: object,
): readonly unknown[] {
  const { properties = {} } = resolve(document, branch) as { readonly properties?: Readonly<Record<string, Schema>> };
  const reference = String(branch['$ref']);
  const schemaName = reference.slice(reference.lastIndexOf('/') + 1);
  const { const: value, enum: values = [schemaName] } = resolve(document, properties[propertyName] ?? {});
  const mapped = Object.keys(mapping).filter((tag) => [reference, schemaName].includes(mapping[tag] ?? ''));
  if (mapped.length > 0) return mapped;
  return value === undefined ? (values as unknown[]) : [value];
}
