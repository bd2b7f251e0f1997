import type { OpenAPIV3 } from 'openapi-types';
import { isText, mediaTypeOf } from '../contract/media-types.js';
import type { Schema } from '../contract/schema-document.js';
import { allowsType } from '../schema/parse-text.js';

/** Why a request body is not supported; `undefined` if it is. */
export function bodyProblem({ content }: OpenAPIV3.RequestBodyObject): string | undefined {
  return Object.keys(content).length === 0 ? 'The body has no media types; declare one.' : undefined;
}

/** A warning for text whose schema describes something else, as that of XML does. */
export function unenforcedBody(document: object, { content }: OpenAPIV3.RequestBodyObject): string | undefined {
  const unenforced = Object.keys(content).filter((name) => !isValidated(document, content[name]?.schema));
  const text = unenforced.find(isText);
  if (text !== undefined) return `The body is not validated as ${mediaTypeOf(text)}; handlers receive its text.`;
  const range = unenforced.map(mediaTypeOf).find((type) => type === '*/*' || type === 'application/*');
  return range && `In ${range}, only JSON and forms are validated; handlers receive any other body as text or a file.`;
}

function isValidated(document: object, schema: object = {}): boolean {
  const isStructured = (['object', 'array'] as const).some((type) => allowsType(type, document, schema as Schema));
  return !isStructured || allowsType('string', document, schema as Schema);
}
