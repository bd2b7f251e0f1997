import { type BodyFormat, fileBytesMax } from '../body-format.js';

export const multipart: BodyFormat = {
  accepts: (mediaType) => mediaType === 'multipart/form-data',
  ranges: ['*/*', 'multipart/*'],
  bytesMax: fileBytesMax,
};
