import type { OpenAPIV3 } from 'openapi-types';
import { type ContractDocument, requireOperation } from '../contract/document.js';
import { findRange, isJson, isText, type MediaRange, mediaRangeOf, mediaTypeOf } from '../contract/media-types.js';
import { operationsOf, resolve } from '../contract/operations.js';
import type { Schema } from '../contract/schema-document.js';
import { isBinary } from '../schema/binary-schema.js';
import { FormFields } from './form-fields.js';

/** How a body is read. `file`: as a file, whatever its content. */
export type BodyKind = 'json' | 'form' | 'multipart' | 'text' | 'file';

/** The rules of a request body in one of its media types; a range such as `*\/*` has one of each kind. */
export interface BodyRule extends MediaRange {
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
  return Object.entries(content).flatMap(([name, { schema = {}, encoding = {} }]) => {
    const shared = {
      ...mediaRangeOf(name),
      valuesMax: body['x-max-body-values'] ?? valuesMaxByDefault,
      isRequired: required,
      schema: schema as Schema,
      fields: new FormFields(document, schema as Schema, encoding),
    };
    return bodyKindsOf(document, name, schema as Schema).map((kind): BodyRule => {
      return { ...shared, kind, bytesMax: body['x-max-body-bytes'] ?? bytesMaxByDefault[kind] };
    });
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
 * How a body of a media type can be read, which also determines its type. What is sent in a range is read by its own
 * media type; as a file, if the schema of the range is that of a file, or if there is none.
 */
export function bodyKindsOf(document: object, name: string, schema: Schema): readonly BodyKind[] {
  const mediaType = mediaTypeOf(name);
  if (mediaType === 'multipart/*') return ['multipart'];
  if (mediaType === 'text/*') return ['text', 'json'];
  if (mediaType !== '*/*' && mediaType !== 'application/*') return [kindOf(mediaType)];
  if (isBinary(document, schema)) return ['file'];
  return mediaType === '*/*' ? ['json', 'form', 'multipart', 'text', 'file'] : ['json', 'form', 'text', 'file'];
}

function kindOf(mediaType: string): BodyKind {
  if (isJson(mediaType)) return 'json';
  if (mediaType === 'application/x-www-form-urlencoded') return 'form';
  if (mediaType === 'multipart/form-data') return 'multipart';
  return isText(mediaType) ? 'text' : 'file';
}

/** The rule of the `Content-Type` that a client sends; `undefined` if the operation does not accept it. */
export function selectBodyRule(rules: readonly BodyRule[], contentType: string): BodyRule | undefined {
  const found = findRange(rules, contentType);
  const kind = kindOf(mediaTypeOf(contentType));
  return rules.find((rule) => rule.name === found?.name && rule.kind === kind) ?? found;
}
