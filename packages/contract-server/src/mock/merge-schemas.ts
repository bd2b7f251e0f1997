import type { Schema } from '@contract-server/core/contract/schemas.js';

/**
 * A schema whose values fit both schemas, as far as keywords can be combined; otherwise, that of the second one counts.
 *
 * @returns `undefined` if no value fits both.
 */
export function mergeSchemas(first: Schema, second: Schema): Schema | undefined {
  if (Object.keys(first).length === 0) return second;
  if (Object.keys(second).length === 0) return first;
  const type = common(typesOf(first), typesOf(second));
  const values = common(valuesOf(first), valuesOf(second));
  if (type?.length === 0 || values?.length === 0) return undefined;
  const properties = mergeProperties(first['properties'] as Properties, second['properties'] as Properties);
  const required = [first['required'], second['required']].flat().filter((name) => name !== undefined);
  const items = bothOf(first['items'], second['items']);
  const merged = { type, enum: values, properties, items, required: required.length === 0 ? undefined : required };
  const defined = Object.entries({ ...mergeLimits(first, second), ...merged }).filter(
    ([, value]) => value !== undefined,
  );
  return { ...first, ...second, ...Object.fromEntries(defined) };
}

const lower = ['minimum', 'minLength', 'minItems', 'minProperties', 'minContains'];
const upper = ['maximum', 'maxLength', 'maxItems', 'maxProperties', 'maxContains'];
/** In OpenAPI 3.0, these are booleans that belong to `minimum` and `maximum`. */
const exclusive = { exclusiveMinimum: lower, exclusiveMaximum: upper };
const schemas = ['contains', 'propertyNames', 'additionalProperties'];

/** The keywords of both schemas that can be combined to one. */
function mergeLimits(first: Schema, second: Schema): Schema {
  const isLower = (name: string) => (exclusive as Schema)[name] === lower || lower.includes(name);
  const limits = [...lower, ...upper, ...Object.keys(exclusive)]
    .filter((name) => isLimit(first[name]) && isLimit(second[name]))
    .map((name) => [name, closer(first[name], second[name], isLower(name))] as const);
  const joined = schemas
    .filter((name) => name in first && name in second)
    .map((name) => [name, bothOf(first[name], second[name])] as const);
  const patterns = mergeProperties(first['patternProperties'] as Properties, second['patternProperties'] as Properties);
  const isUnique = first['uniqueItems'] === true || second['uniqueItems'] === true;
  const others = { patternProperties: patterns, uniqueItems: isUnique || undefined };
  return { ...Object.fromEntries([...limits, ...joined]), ...others };
}

function isLimit(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

function closer(first: unknown, second: unknown, isLower: boolean): unknown {
  return (first as number) > (second as number) === isLower ? first : second;
}

type Properties = Schema | undefined;

function mergeProperties(first: Properties, second: Properties): Properties {
  if (first === undefined || second === undefined) return first ?? second;
  const both = Object.keys(first).filter((name) => Object.hasOwn(second, name));
  const shared = both.map((name) => [name, bothOf(first[name], second[name])] as const);
  return { ...first, ...second, ...Object.fromEntries(shared) };
}

function bothOf(first: unknown, second: unknown): unknown {
  return first === undefined || second === undefined ? (first ?? second) : { allOf: [first, second] };
}

function typesOf({ type }: Schema): readonly unknown[] | undefined {
  if (type === undefined) return undefined;
  return type === 'number' ? ['number', 'integer'] : [type].flat();
}

function valuesOf({ const: only, enum: values }: Schema): readonly unknown[] | undefined {
  return only === undefined ? (values as readonly unknown[] | undefined) : [only];
}

function common(first: readonly unknown[] | undefined, second: readonly unknown[] | undefined) {
  return first && second ? first.filter((each) => second.includes(each)) : (first ?? second);
}

/** A schema without its examples: those of a part of a schema lack what the other parts require. */
export function withoutExamples({ example: _, examples: _examples, default: _default, ...schema }: Schema): Schema {
  return schema;
}

export function isNullable({ type, nullable }: Schema): boolean {
  return nullable === true || [type].flat().includes('null');
}

/** The type of a value of a schema: the first one that is not null, or the one that its keywords are for. */
export function typeOf({ type, ...keywords }: Schema): unknown {
  const types = [type].flat().filter((each) => each !== undefined);
  if (types.length > 0) return types.find((each) => each !== 'null') ?? 'null';
  const found = Object.keys(typesByKeyword).find((keyword) => keyword in keywords);
  return found && typesByKeyword[found];
}

const typesByKeyword: Readonly<Record<string, string>> = {
  ...{ properties: 'object', required: 'object', additionalProperties: 'object', items: 'array', prefixItems: 'array' },
  ...{ patternProperties: 'object', propertyNames: 'object', minProperties: 'object', dependentRequired: 'object' },
  ...{ contains: 'array', uniqueItems: 'array', minItems: 'array', maxItems: 'array' },
  ...{ pattern: 'string', minLength: 'string', maxLength: 'string', format: 'string', minimum: 'number' },
  ...{ maximum: 'number', exclusiveMinimum: 'number', exclusiveMaximum: 'number', multipleOf: 'number' },
};
