import type { OpenAPIV3 } from 'openapi-types';
import { oncePer } from '../lib/once-per.js';
import { findAt, resolve } from './json-pointer.js';

/** A schema of the contract, or one for Ajv. */
export type Schema = Readonly<Record<string, unknown>>;

/** A document whose schemas are compiled, of any version. */
export interface SchemaDocument {
  readonly openapi: string;
  readonly components?: { readonly schemas?: object };
}

/** The schemas of a document, which is the same each time: what is known of its schemas is remembered by it. */
export const schemasOf = oncePer((document: SchemaDocument) => new Schemas(document));

/** The schemas of a document, which refer to each other. */
export class Schemas {
  /** Whether they are of OpenAPI 3.0. */
  readonly isVersion30: boolean;
  private readonly types = { alone: new WeakMap<Schema, Types>(), 'with items': new WeakMap<Schema, Types>() };

  constructor(readonly document: SchemaDocument) {
    this.isVersion30 = document.openapi.startsWith('3.0');
  }

  /** Those of `components`, by name. */
  get named(): Readonly<Record<string, Schema>> {
    return (this.document.components?.schemas ?? {}) as Readonly<Record<string, Schema>>;
  }

  /** What a reference in the document leads to, which can be another reference; `undefined` if there is nothing. */
  at($ref: string): unknown {
    return findAt(this.document, $ref);
  }

  /** Resolves a reference, also in sequence. @throws TypeError if there is no such component. */
  resolve<T extends object>(node: T | OpenAPIV3.ReferenceObject): T {
    return resolve(this.document, node);
  }

  /** The keywords that a schema has: in OpenAPI 3.0, a reference has no siblings (3.0.4, section 4.7.23). */
  keywordsOf(schema: Schema): Schema {
    const { $ref } = schema;
    return $ref !== undefined && this.isVersion30 ? { $ref } : schema;
  }

  /** The schemas that apply to the same values as one, by `$ref` and `allOf`. */
  partsOf(schema: Schema): readonly unknown[] {
    const { $ref, allOf = [] } = this.keywordsOf(schema) as {
      readonly $ref?: string;
      readonly allOf?: readonly unknown[];
    };
    return $ref === undefined ? allOf : [this.at($ref), ...allOf];
  }

  /** The keywords of a schema, and of each schema that applies to the same values, in any depth. */
  conjunctsOf(schema: Schema): readonly Schema[] {
    const found = new Set<unknown>([schema]);
    for (const each of found) if (isObject(each)) for (const part of this.partsOf(each)) found.add(part);
    return [...found].filter(isObject).map((each) => this.keywordsOf(each));
  }

  /** Whether a schema allows values of a JSON type. */
  allows(type: 'array' | 'object' | 'string', schema: Schema = {}): boolean {
    return this.typesOf(schema).has(type);
  }

  /** Whether a schema allows an array or an object. */
  allowsMembers(schema: Schema): boolean {
    return this.allows('array', schema) || this.allows('object', schema);
  }

  /** The types that a schema names, or its parts and alternatives; `with items`, also those of the items of arrays. */
  typesOf(schema: Schema, extent: 'alone' | 'with items' = 'alone'): Types {
    const known = this.types[extent].get(schema);
    if (known !== undefined) return known;
    const types = this.determineTypes(schema, extent === 'with items');
    this.types[extent].set(schema, types);
    return types;
  }

  /** A schema can contain itself. */
  private determineTypes(root: Schema, hasItems: boolean): Types {
    const types = new Set<string>();
    const parts = new Set([root]);
    for (const part of parts) {
      const { $ref, items, ...others } = part as Parts;
      for (const type of ownTypes(others)) types.add(type);
      if ($ref !== undefined) parts.add(this.at($ref) as Schema);
      if (hasItems && items !== undefined) parts.add(items);
      for (const inner of [others.allOf, others.anyOf, others.oneOf].flatMap((list) => list ?? [])) parts.add(inner);
    }
    return types;
  }
}

type Types = ReadonlySet<string>;

/** The types that `type` names; without it, those of the values of `enum` and `const`. */
function ownTypes({ type, enum: values = [], const: value }: Parts): readonly string[] {
  return type === undefined ? [...values, value].map(typeOf) : [type].flat();
}

/** A `bigint` is a number of JSON. */
function typeOf(value: unknown): string {
  return typeof value === 'bigint' ? 'number' : typeof value;
}

interface Parts {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

function isObject(schema: unknown): schema is Schema {
  return typeof schema === 'object' && schema !== null;
}
