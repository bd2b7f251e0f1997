import type { OpenAPIV3 } from 'openapi-types';
import { isJson, mediaTypeOf } from '../contract/media-types.js';
import type { Schema, Schemas } from '../contract/schemas.js';
import { memberOf } from '../json/object-members.js';
import type { BracketedValue } from '../parameters/bracketed-value.js';
import { allowsAnything } from '../schema/annotations.js';
import { isBinary } from '../schema/binary-schema.js';
import { type MemberRules, memberRulesOf } from '../schema/member-rules.js';
import { free, type Members, remember } from '../schema/members.js';
import { valueParserOf } from '../schema/parse-text.js';
import type { Node } from '../schema/schema-joins.js';
import { invalidBody } from './body-text.js';

/** How the values of one field of a form are read. */
export interface FormField {
  readonly isDeclared: boolean;
  /** Whether each value is a file; `undefined` if its schema allows anything. */
  readonly isFile: boolean | undefined;
  readonly isArray: boolean;
  /** Whether each value is JSON text: by default, the value of an object is (OpenAPI 3.0.4, section 4.7.15.1). */
  readonly isJson: boolean;
  /** What separates the items of an array; `undefined` if the field is repeated for each. */
  readonly separator: string | undefined;
  /** The media types of its parts that the contract allows; empty for any. */
  readonly contentTypes: readonly string[];
  /** Converts text in the value to the declared types. */
  readonly convert: (value: unknown) => unknown;
}

type Encodings = Readonly<Record<string, OpenAPIV3.EncodingObject>>;

const separators: Readonly<Record<string, string>> = { form: ',', spaceDelimited: ' ', pipeDelimited: '|' };

/** The fields of a form or of a multipart body, by their name. */
export class FormFields {
  private readonly members: MemberRules;
  private known: ReadonlySet<string> | undefined;
  private findKnown: ((name: string) => FormField) | undefined;

  constructor(
    private readonly schemas: Schemas,
    private readonly schema: Schema,
    private readonly encodings: Encodings,
  ) {
    this.members = memberRulesOf(schemas);
  }

  /** Whether the contract declares a field of this name. */
  has(name: string): boolean {
    this.known ??= new Set(this.members.of(this.schema).fields?.names);
    return this.known.has(name);
  }

  find(name: string): FormField {
    this.findKnown ??= this.compile(this.members.of(this.schema).fields);
    return this.findKnown(name);
  }

  /** The value of a field that is sent in parts with names in brackets. @throws ApiError `invalid_request` */
  valueOf(name: string, parts: BracketedValue, arrayMax: number): unknown {
    const beyondLimits = () => invalidBody(`must have arrays of at most ${String(arrayMax)} items.`, name);
    const schema = this.members.of(this.schema).fields?.find(name);
    return parts.toValue({ schemas: this.schemas, schema, arrayMax, beyondLimits });
  }

  /** Clients can send any other name, for which the schema is the same. */
  private compile(fields: Members = { ...free, isFree: false }): (name: string) => FormField {
    const names = [...fields.names, ...Object.keys(this.encodings)];
    const describe = (name: string | number) =>
      this.describe(String(name), fields.find(name) ?? (fields.isFree || undefined));
    return remember({ ...fields, names }, describe);
  }

  private describe(name: string, node: Node | undefined): FormField {
    const isArray = this.allows('array', node);
    const value = isArray ? this.members.of(node as Schema).items?.find(0) : node;
    const encoding = (memberOf(this.encodings, name) ?? {}) as OpenAPIV3.EncodingObject;
    const contentTypes = contentTypesOf(encoding);
    return {
      isDeclared: node !== undefined && node !== false,
      isFile: typeof value === 'object' ? isFileOrAny(this.schemas, value) : undefined,
      isArray,
      isJson: this.allows('object', value) || (contentTypes.length > 0 && contentTypes.every(isJson)),
      separator: isArray ? separatorOf(encoding) : undefined,
      contentTypes,
      convert: typeof node === 'object' ? valueParserOf(this.schemas, node) : (sent) => sent,
    };
  }

  private allows(type: 'array' | 'object', node: Node | undefined): boolean {
    return typeof node === 'object' && this.schemas.allows(type, node);
  }
}

function contentTypesOf({ contentType = '' }: OpenAPIV3.EncodingObject): readonly string[] {
  return contentType.split(',').map(mediaTypeOf).filter(Boolean);
}

function separatorOf({ style = 'form', explode = style === 'form' }: OpenAPIV3.EncodingObject): string | undefined {
  return explode ? undefined : separators[style];
}

/** `undefined` for a schema that allows anything, such as that of a part whose file name decides. */
function isFileOrAny(schemas: Schemas, schema: Schema): boolean | undefined {
  return allowsAnything(schema) ? undefined : isBinary(schemas, schema);
}
