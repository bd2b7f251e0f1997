import { type BodyFormat, fileBytesMax } from '../body-format.js';

/** Every other media type. */
export const file: BodyFormat = {
  accepts: () => true,
  bytesMax: fileBytesMax,
  isValidated: () => false,
};
