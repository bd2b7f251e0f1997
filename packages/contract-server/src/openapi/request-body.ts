import type { OpenAPIV3 } from 'openapi-types';
import { isBinary } from './binary-schema.js';
import { type ContractDocument, requireOperation } from './document.js';
import type { Schema } from './exact-number.js';
import { FormFields } from './form-fields.js';
import { isJson, isText, mediaTypeOf, rangesOf } from './media-types.js';
import { operationsOf, resolve } from './operations.js';

/** How a body is read. `file`: as a file, whatever its content. */
export type BodyKind = 'json' | 'form' | 'multipart' | 'text' | 'file';

/** The rules of a request body in one of its media types. */
export interface BodyRule {
  /** As the contract declares it, such as `application/json` or `image/*`. */
  readonly name: string;
  /** The same in lower case, without parameters. */
  readonly mediaType: string;
  readonly kind: BodyKind;
  /** From `x-max-body-bytes`; by default 64 KiB, and 1 MiB for files. */
  readonly bytesMax: number;
  /**
   * From `x-max-body-values`; 1,000 by default. Fields, parts, objects and arrays count: parsing and validating each
   * takes time.
   */
  readonly valuesMax: number;
  readonly isRequired: boolean;
  /** May contain references to the components of the document. */
  readonly schema: Schema;
  /** Of a form or a multipart body. */
  readonly fields: FormFields;
}

/** The size of a body without `x-max-body-bytes`. */
const bytesMaxByDefault: Readonly<Record<BodyKind, number>> = {
  json: 64 * 1024,
  form: 64 * 1024,
  text: 64 * 1024,
  multipart: 1024 * 1024,
  file: 1024 * 1024,
};

/** The number of values of a body without `x-max-body-values`. */
const valuesMaxByDefault = 1000;

type RequestBody = OpenAPIV3.RequestBodyObject &
  Readonly<Partial<Record<'x-max-body-bytes' | 'x-max-body-values', number>>>;

/** The rules of each media type of the body; empty for an operation without a body. */
export function bodyRulesOf(document: ContractDocument, id: string): readonly BodyRule[] {
  const { requestBody } = requireOperation(document, id).operation;
  if (requestBody === undefined) return [];
  const { content, required = false, ...body } = resolve<RequestBody>(document, requestBody);
  return Object.entries(content).map(([name, { schema = {}, encoding = {} }]): BodyRule => {
    const mediaType = mediaTypeOf(name);
    const kind = bodyKindOf(document, name, schema as Schema);
    return {
      ...{ name, mediaType, kind },
      bytesMax: body['x-max-body-bytes'] ?? bytesMaxByDefault[kind],
      valuesMax: body['x-max-body-values'] ?? valuesMaxByDefault,
      isRequired: required,
      schema: schema as Schema,
      fields: new FormFields(document, schema as Schema, encoding),
    };
  });
}

/** Whether a body is stored in temporary files. */
export function hasFiles({ kind }: Pick<BodyRule, 'kind'>): boolean {
  return kind === 'file' || kind === 'multipart';
}

/** Whether an operation has such a body. */
export function acceptsFiles(document: ContractDocument): boolean {
  return operationsOf(document).some(({ operation: { operationId = '' } }) =>
    bodyRulesOf(document, operationId).some(hasFiles),
  );
}

/** The rule of a body in JSON. @throws TypeError if the operation has none. */
export function requireBodyRule(document: ContractDocument, id: string): BodyRule {
  const rule = bodyRulesOf(document, id).find(({ kind }) => kind === 'json');
  if (rule === undefined) throw new TypeError(`${id} has no body in JSON.`);
  return rule;
}

/**
 * How a body of a media type is read, which also determines its type. A range that includes JSON is JSON, unless its
 * schema is that of a file.
 */
export function bodyKindOf(document: object, name: string, schema: Schema): BodyKind {
  const mediaType = mediaTypeOf(name);
  if (mediaType === '*/*' || mediaType === 'application/*') return isBinary(document, schema) ? 'file' : 'json';
  if (isJson(mediaType)) return 'json';
  if (mediaType === 'application/x-www-form-urlencoded') return 'form';
  if (mediaType === 'multipart/form-data' || mediaType === 'multipart/*') return 'multipart';
  return isText(mediaType) ? 'text' : 'file';
}

/** The rule of a media type that a client sends; `undefined` if the operation does not accept it. */
export function selectBodyRule(rules: readonly BodyRule[], mediaType: string): BodyRule | undefined {
  const accepted = rules.filter(({ kind }) => kind !== 'json' || isJson(mediaType));
  return rangesOf(mediaType)
    .map((range) => accepted.find((rule) => rule.mediaType === range))
    .find((rule) => rule !== undefined);
}
