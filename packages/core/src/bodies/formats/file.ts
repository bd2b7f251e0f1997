import { type BodyFormat, fileBytesMax } from '../body-format.js';

/** Every other media type. */
export const file: BodyFormat = {
  accepts: () => true,
  ranges: ['*/*', 'application/*'],
  bytesMax: fileBytesMax,
  isValidated: () => false,
};
