import type { Schema, Schemas } from '../contract/schemas.js';
import type { BodyRule } from './body-rule.js';

/** How the bodies of some media types are read. */
export interface BodyFormat {
  /** @param mediaType in lower case, without parameters; also a range of one format, such as `image/*`. */
  readonly accepts: (mediaType: string) => boolean;
  /** The ranges of several formats in which it is one of them: `*\/*`, `application/*`, `text/*`, `multipart/*`. */
  readonly ranges?: readonly string[];
  /** Whether it can be the format of a schema. Default: of any. */
  readonly fits?: (schemas: Schemas, schema: Schema) => boolean;
  /** The size of a body without `x-max-body-bytes`. */
  readonly bytesMax: number;
  /** Whether an empty body is a value of its own. Default: it is an omitted body. */
  readonly canBeEmpty?: true;
  /**
   * The value of a whole body. Without it, bodies are read as they arrive, and stored in files.
   *
   * @throws ApiError `invalid_request`
   * @throws SyntaxError whose message completes "The body is not valid JSON: …".
   * @throws TooManyValues
   */
  readonly parse?: (bytes: Uint8Array, rule: BodyRule) => unknown;
  /** Whether the schema describes the value. Default: always. */
  readonly isValidated?: (schemas: Schemas, schema: Schema) => boolean;
}

/** The size of a body in memory, and of one that is stored in files, without `x-max-body-bytes`. */
export const textBytesMax = 64 * 1024;
export const fileBytesMax = 1024 * 1024;
