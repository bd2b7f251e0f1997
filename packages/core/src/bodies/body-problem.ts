import type { OpenAPIV3 } from 'openapi-types';
import { contentProblem, isText, mediaTypeOf } from '../contract/media-types.js';
import type { Schema, Schemas } from '../contract/schemas.js';
import { bodyKindsOf } from './body-formats.js';

/** Why a request body is not supported; `undefined` if it is. */
export function bodyProblem({ content }: OpenAPIV3.RequestBodyObject): string | undefined {
  return Object.keys(content).length === 0 ? 'The body has no media types; declare one.' : contentProblem(content);
}

/** A warning for text whose schema describes something else, as that of XML does. */
export function unenforcedBody(schemas: Schemas, { content }: OpenAPIV3.RequestBodyObject): string | undefined {
  const unenforced = Object.entries(content).flatMap(([name, { schema = {} }]) =>
    isUnenforced(schemas, name, schema as Schema) ? [name] : [],
  );
  const text = unenforced.find(isText);
  if (text !== undefined) return `The body is not validated as ${mediaTypeOf(text)}; handlers receive its text.`;
  const range = unenforced.map(mediaTypeOf).find((type) => type === '*/*' || type === 'application/*');
  return range && `In ${range}, only JSON and forms are validated; handlers receive any other body as text or a file.`;
}

/** Whether a body can be read as text, but has the schema of something else. */
function isUnenforced(schemas: Schemas, name: string, schema: Schema): boolean {
  const isText = bodyKindsOf(schemas, name, schema).includes('text');
  return isText && schemas.allowsMembers(schema) && !schemas.allows('string', schema);
}
