import type { Schema, Schemas } from '../contract/schemas.js';
import { allowsAnything } from './annotations.js';

/** The keywords that describe content. */
interface Keywords extends Schema {
  readonly format?: string;
  readonly contentMediaType?: string;
  readonly contentEncoding?: string;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

/**
 * Whether the keywords of a schema describe binary content: `format: binary` (OpenAPI 3.0), or `contentMediaType`
 * without an encoding (3.1.1, section 4.8.14.4.1).
 */
export function describesBinary(schema: object): boolean {
  const { format, contentMediaType, contentEncoding } = schema as Keywords;
  return format === 'binary' || (contentMediaType !== undefined && contentEncoding === undefined);
}

/**
 * Whether a value of a schema, outside of JSON, is binary content: it is described as such, or not at all.
 */
export function isBinary(schemas: Schemas, schema: Schema): boolean {
  const resolved = schemas.resolve<Keywords>(schema);
  if (describesBinary(resolved) || allowsAnything(resolved)) return true;
  const parts = [resolved.allOf, resolved.anyOf, resolved.oneOf].flatMap((list) => list ?? []);
  return parts.some((part) => !allowsAnything(part) && isBinary(schemas, part));
}
