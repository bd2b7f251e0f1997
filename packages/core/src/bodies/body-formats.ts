import { mediaTypeOf } from '../contract/media-types.js';
import type { Schema, Schemas } from '../contract/schemas.js';
import { isBinary } from '../schema/binary-schema.js';
import type { BodyFormat } from './body-format.js';
import type { BodyKind } from './body-rule.js';
import { file } from './formats/file.js';
import { form } from './formats/form.js';
import { json } from './formats/json.js';
import { lines } from './formats/lines.js';
import { multipart } from './formats/multipart.js';
import { text } from './formats/text.js';

/** The formats of bodies: the first one that accepts a media type reads it. */
export const bodyFormats: Readonly<Record<BodyKind, BodyFormat>> = { json, lines, form, multipart, text, file };

const kinds = Object.keys(bodyFormats) as readonly BodyKind[];

/**
 * How a body of a media type can be read, which also determines its type. What is sent in a range is read by its own
 * media type; as a file, if the schema of the range is that of a file, or if there is none.
 */
export function bodyKindsOf(schemas: Schemas, name: string, schema: Schema): readonly BodyKind[] {
  const mediaType = mediaTypeOf(name);
  const inRange = kinds.filter((kind) => bodyFormats[kind].ranges?.includes(mediaType));
  if (inRange.length > 0) return inRange.includes('file') && isBinary(schemas, schema) ? ['file'] : inRange;
  const isFormat = (kind: BodyKind) => {
    const { accepts, fits } = bodyFormats[kind];
    return accepts(mediaType) && fits?.(schemas, schema) !== false;
  };
  return kinds.filter(isFormat).slice(0, 1);
}
