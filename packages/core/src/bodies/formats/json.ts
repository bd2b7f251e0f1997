import { isJson } from '../../contract/media-types.js';
import { parseJson } from '../../json/exact-json.js';
import { type BodyFormat, textBytesMax } from '../body-format.js';

export const json: BodyFormat = {
  accepts: isJson,
  ranges: ['*/*', 'application/*', 'text/*'],
  bytesMax: textBytesMax,
  parse: (bytes, { valuesMax }) => parseJson(bytes, valuesMax),
};
