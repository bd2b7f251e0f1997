import { isText } from '../../contract/media-types.js';
import { type BodyFormat, textBytesMax } from '../body-format.js';
import { textOf } from '../body-text.js';

/** Text, which is validated if its schema describes text: that of XML describes what the text contains. */
export const text: BodyFormat = {
  accepts: isText,
  ranges: ['*/*', 'application/*', 'text/*'],
  bytesMax: textBytesMax,
  parse: (bytes) => textOf(bytes),
  isValidated: (schemas, schema) => schemas.allows('string', schema),
};
