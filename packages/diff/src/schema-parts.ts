import { findAt } from '@contract-server/core/contract/json-pointer.js';
import { type Path, type Values, valuesOf } from './compared-document.js';

/** A part of a schema: all parts apply to a value. Parts of equal origin have the same `keywords`. */
export interface Part {
  /** Without references, `allOf`, `anyOf`, `oneOf` and what only OpenAPI 3.0 has. */
  readonly keywords: Values;
  readonly choices: readonly Choice[];
  /** From the schema to the part. */
  readonly path: Path;
}
export type Parts = readonly Part[];

/** `anyOf` or `oneOf`. */
export interface Choice {
  /** Whether a value must not match two branches. */
  readonly isExclusive: boolean;
  /** From the schema of the part. */
  readonly path: Path;
  readonly branches: readonly Branch[];
}

export interface Branch {
  readonly schema: unknown;
  readonly path: Path;
}

const nullType = { type: 'null' };
/** No value has one of no types. */
const never = { type: [] };
const nothing: Parts = [{ keywords: never, choices: [], path: [] }];
/** A schema with one of them may evaluate other members for each value. */
const evaluatesByValue = ['if', 'dependentSchemas', 'contains'];

/** Reads the schemas of a document as lists of parts, the same list each time. */
export class SchemaReader {
  private readonly known = new WeakMap<object, Parts>();
  private readonly isVersion30: boolean;

  constructor(private readonly document: Values) {
    this.isVersion30 = String(document['openapi']).startsWith('3.0');
  }

  /** The parts of a schema. Without a schema, and for `true`, there are none. */
  partsOf(schema: unknown): Parts {
    if (schema === false) return nothing;
    if (typeof schema !== 'object' || schema === null) return [];
    const found = this.known.get(schema);
    if (found !== undefined) return found;
    // For a schema that consists of itself.
    this.known.set(schema, []);
    const parts = this.read(schema as Values);
    this.known.set(schema, parts);
    return parts;
  }

  /** The parts of a schema at a path. */
  partsAt(schema: unknown, path: Path): Parts {
    return this.partsOf(schema).map((part) => ({ ...part, path: [...path, ...part.path] }));
  }

  private read(schema: Values): Parts {
    const { $ref, allOf, anyOf, oneOf, nullable, ...own } = schema;
    const target = typeof $ref === 'string' ? this.targetOf($ref) : undefined;
    // In OpenAPI 3.0, a reference has no siblings (section 4.7.23).
    if (target !== undefined && this.isVersion30) return target;
    const isNullable = this.isVersion30 && nullable === true;
    if (isNullable && own['type'] === undefined) return nullOr(schema);
    const keywords = this.isVersion30 ? fromVersion30(own, isNullable) : own;
    const choices = [...choicesOf('anyOf', anyOf), ...choicesOf('oneOf', oneOf)];
    const all = schemasIn(allOf).flatMap((each, index) => this.partsAt(each, ['allOf', index]));
    return evaluated([{ keywords, choices, path: [] }, ...(target ?? []), ...all].filter(isSaying));
  }

  private targetOf($ref: string): Parts {
    const target = findAt(this.document, $ref);
    return target === undefined ? [{ keywords: { $ref }, choices: [], path: [] }] : this.partsOf(target);
  }
}

function isSaying({ keywords, choices }: Part): boolean {
  return Object.keys(keywords).length > 0 || choices.length > 0;
}

/** `nullable` without a type. */
function nullOr({ nullable: _, ...schema }: Values): Parts {
  const branches = [nullType, schema].map((each) => ({ schema: each, path: [] }));
  return [{ keywords: {}, choices: [{ isExclusive: false, path: [], branches }], path: [] }];
}

function schemasIn(list: unknown): readonly unknown[] {
  return Array.isArray(list) ? list : [];
}

function choicesOf(keyword: string, schemas: unknown): Choice[] {
  if (schemas === undefined) return [];
  const branches = schemasIn(schemas).map((schema, index) => ({ schema, path: [keyword, index] }));
  // A `discriminator` changes no verdict: only its branches make values exclusive.
  return [{ isExclusive: keyword === 'oneOf', path: [keyword], branches }];
}

/** `nullable` as a type, and the boolean `exclusiveMinimum` and `exclusiveMaximum` as limits. */
function fromVersion30(schema: Values, isNullable: boolean): Values {
  const { type, minimum, maximum, exclusiveMinimum, exclusiveMaximum, ...rest } = schema;
  const bound = (name: string, value: unknown, isExclusive: unknown) =>
    value === undefined ? {} : { [isExclusive === true ? `exclusive${name}` : name.toLowerCase()]: value };
  return {
    ...(type !== undefined && { type: isNullable ? [type, 'null'].flat() : type }),
    ...bound('Minimum', minimum, exclusiveMinimum),
    ...bound('Maximum', maximum, exclusiveMaximum),
    ...rest,
  };
}

/** Replaces `unevaluatedProperties` and `unevaluatedItems` where what is evaluated does not depend on the value. */
function evaluated(parts: Parts): Parts {
  const [first, ...rest] = parts;
  const { unevaluatedProperties, unevaluatedItems, ...keywords } = first?.keywords ?? {};
  if (first === undefined || (unevaluatedProperties ?? unevaluatedItems) === undefined) return parts;
  const all = [{ ...first, keywords }, ...rest];
  if (all.some(({ choices, keywords: own }) => choices.length > 0 || evaluatesByValue.some((name) => name in own)))
    return parts;
  const values = all.map(({ keywords: own }) => own);
  const closed = { ...closedProperties(values, unevaluatedProperties), ...closedItems(values, unevaluatedItems) };
  return [...all, { keywords: closed, choices: [], path: first.path }];
}

function closedProperties(values: readonly Values[], schema: unknown): Values {
  if (schema === undefined || values.some((own) => own['additionalProperties'] !== undefined)) return {};
  const namesOf = (keyword: string) => values.flatMap((own) => Object.keys(valuesOf(own[keyword])));
  const free = (keyword: string) => Object.fromEntries(namesOf(keyword).map((name) => [name, true]));
  return {
    properties: free('properties'),
    patternProperties: free('patternProperties'),
    additionalProperties: schema,
  };
}

function closedItems(values: readonly Values[], schema: unknown): Values {
  if (schema === undefined || values.some((own) => own['items'] !== undefined)) return {};
  const length = Math.max(...values.map(({ prefixItems }) => (Array.isArray(prefixItems) ? prefixItems.length : 0)));
  return { prefixItems: Array.from({ length }, () => true), items: schema };
}
