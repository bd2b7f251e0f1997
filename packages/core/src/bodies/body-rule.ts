import type { MediaRange } from '../contract/media-types.js';
import type { Schema } from '../contract/schemas.js';
import type { FormFields } from './form-fields.js';

/** How a body is read. `lines`: as JSON lines. `file`: as a file, whatever its content. */
export type BodyKind = 'json' | 'lines' | 'form' | 'multipart' | 'text' | 'file';

/** The rules of a request body in one of its media types; a range such as `*\/*` has one of each kind. */
export interface BodyRule extends MediaRange {
  readonly kind: BodyKind;
  /** From `x-max-body-bytes` or the option `limits`; by default 64 KiB, and 1 MiB for files. */
  readonly bytesMax: number;
  /**
   * From `x-max-body-values` or the option `limits`; 1,000 by default. Fields, parts, objects and arrays count: parsing
   * and validating each takes time.
   */
  readonly valuesMax: number;
  readonly isRequired: boolean;
  /** Whether clients can compress it. */
  readonly canBeGzip: boolean;
  /** May contain references to the components of the document. */
  readonly schema: Schema;
  /** Of a form or a multipart body. */
  readonly fields: FormFields;
}
