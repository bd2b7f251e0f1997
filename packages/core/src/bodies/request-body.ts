import type { Contract, Operation } from '../contract/contract.js';
import { describedMedia } from '../contract/item-schema.js';
import { findRange, mediaRangeOf, mediaTypeOf } from '../contract/media-types.js';
import type { Schema } from '../contract/schemas.js';
import { bodyFormats, bodyKindsOf } from './body-formats.js';
import type { BodyRule } from './body-rule.js';
import { FormFields } from './form-fields.js';

/** The number of values of a body that nothing else limits. */
const valuesMaxByDefault = 1000;

/** The rules of each media type of the body; empty for an operation without a body. */
export function bodyRulesOf({ document, schemas, deployment }: Contract, { body }: Operation): readonly BodyRule[] {
  if (body === undefined) return [];
  const { content, required = false } = body;
  const { limits: { bodyBytes, bodyValues = valuesMaxByDefault } = {}, gzipBodies = false } = deployment;
  return Object.entries(content).flatMap(([name, media]) => {
    const { schema = {}, encoding = {} } = describedMedia(document, name, media);
    const shared = {
      ...mediaRangeOf(name),
      valuesMax: body['x-max-body-values'] ?? bodyValues,
      isRequired: required,
      canBeGzip: gzipBodies,
      schema: schema as Schema,
      fields: new FormFields(schemas, schema as Schema, encoding),
    };
    return bodyKindsOf(schemas, name, schema as Schema).map((kind): BodyRule => {
      return { ...shared, kind, bytesMax: body['x-max-body-bytes'] ?? bodyBytes ?? bodyFormats[kind].bytesMax };
    });
  });
}

/** Whether a body is stored in temporary files. */
export function hasFiles({ kind }: Pick<BodyRule, 'kind'>): boolean {
  return bodyFormats[kind].parse === undefined;
}

/** Whether an operation has such a body. */
export function acceptsFiles(contract: Contract): boolean {
  return contract.operations.some((operation) => bodyRulesOf(contract, operation).some(hasFiles));
}

/** The rule of the `Content-Type` that a client sends; `undefined` if the operation does not accept it. */
export function selectBodyRule(rules: readonly BodyRule[], contentType: string): BodyRule | undefined {
  const found = findRange(rules, contentType);
  const mediaType = mediaTypeOf(contentType);
  return rules.find(({ name, kind }) => name === found?.name && bodyFormats[kind].accepts(mediaType)) ?? found;
}
