import type { OpenAPIV3 } from 'openapi-types';
import type { Schema } from './exact-number.js';
import { isJson, isText, mediaTypeOf } from './media-types.js';
import { allowsType } from './parse-text.js';

/**
 * Why a request body is not supported; `undefined` if it is.
 *
 * @param isService whether the server reads it. openapi-backend validates what the application has parsed, whatever its
 * media type.
 */
export function bodyProblem({ content }: OpenAPIV3.RequestBodyObject, isService: boolean): string | undefined {
  const types = Object.keys(content);
  const other = types.find((type) => !isJson(type));
  if (types.length === 0) return 'The body has no media types; declare one.';
  if (isService || (types.length === 1 && other === undefined)) return undefined;
  if (other === undefined) return 'The body has several media types; declare one.';
  return `The body is ${mediaTypeOf(other)}, which is not supported; declare only application/json or a +json type.`;
}

/** A warning for text whose schema describes something else, as that of XML does. */
export function unenforcedBody(document: object, { content }: OpenAPIV3.RequestBodyObject): string | undefined {
  const name = Object.keys(content).find((each) => isText(each) && !isValidated(document, content[each]?.schema));
  return name && `The body is not validated as ${mediaTypeOf(name)}; handlers receive its text.`;
}

function isValidated(document: object, schema: object = {}): boolean {
  const isStructured = (['object', 'array'] as const).some((type) => allowsType(type, document, schema as Schema));
  return !isStructured || allowsType('string', document, schema as Schema);
}
