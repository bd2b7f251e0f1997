import { isJsonLines } from '../../contract/media-types.js';
import { parseJsonLines } from '../../json/json-lines.js';
import { type BodyFormat, textBytesMax } from '../body-format.js';

/** JSON lines, such as `application/x-ndjson`: an array, if the schema describes one; otherwise they are text. */
export const lines: BodyFormat = {
  accepts: isJsonLines,
  fits: (schemas, schema) => schemas.allows('array', schema),
  bytesMax: textBytesMax,
  // An array without items.
  canBeEmpty: true,
  parse: (bytes, { valuesMax }) => parseJsonLines(bytes, valuesMax),
};
