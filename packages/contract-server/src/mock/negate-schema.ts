import type { Schema } from '@contract-server/core/contract/schemas.js';
import { stringifyJson } from '@contract-server/core/json/exact-json.js';

const types = ['string', 'number', 'boolean', 'object', 'array', 'null'];

/** A schema that violates a keyword with this value. */
const negations: Readonly<Record<string, (value: unknown) => Schema>> = {
  minimum: (value) => ({ exclusiveMaximum: value }),
  maximum: (value) => ({ exclusiveMinimum: value }),
  exclusiveMinimum: (value) => ({ maximum: value }),
  exclusiveMaximum: (value) => ({ minimum: value }),
  minLength: (value) => ({ maxLength: Number(value) - 1 }),
  maxLength: (value) => ({ minLength: Number(value) + 1 }),
  minItems: (value) => ({ maxItems: Number(value) - 1 }),
  maxItems: (value) => ({ minItems: Number(value) + 1 }),
  required: (value) => ({ properties: { [String((value as unknown[])[0])]: false } }),
  type: (value) => ({ type: types.filter((each) => ![value].flat().includes(each) && !isIncluded(each, value)) }),
  properties: (value) => {
    const [[name, schema] = []] = Object.entries(value as Schema);
    return name === undefined ? {} : { required: [name], properties: { [name]: { not: schema } } };
  },
  not: (value) => value as Schema,
};

function isIncluded(type: string, value: unknown): boolean {
  return type === 'number' && [value].flat().includes('integer');
}

/**
 * Schemas each of which excludes the values of a schema in `not`, as far as keywords can say that. Values that it lists
 * stay in `not`, where samplers skip them.
 */
export function negate(schema: unknown): readonly Schema[] {
  if (typeof schema !== 'object' || schema === null) return [];
  // `required` comes last: what is present and invalid excludes a value too.
  const names = Object.keys(negations).filter((name) => name in schema);
  const ordered = [...names.filter((name) => name !== 'required'), ...names.filter((name) => name === 'required')];
  return ordered.map((name) => negations[name]?.((schema as Schema)[name]) ?? {});
}

/** Whether a value is one of those that a schema excludes with `not`. */
export function isExcluded({ not: excluded }: Schema, value: unknown): boolean {
  const { const: only, enum: values = [] } = Object(excluded) as {
    readonly const?: unknown;
    readonly enum?: unknown[];
  };
  return [only, ...values].some((each) => each !== undefined && text(each) === text(value));
}

function text(value: unknown): string | undefined {
  return value === undefined ? undefined : stringifyJson(value);
}
