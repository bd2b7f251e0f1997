import { type JsonValue, parseJson } from '../json/exact-json.js';
import { createAjv, type SchemaDocument } from './create-ajv.js';
import { bodyValuesMax } from './document.js';
import { describeErrors } from './validation-messages.js';

/** Parses and validates the lines of a file, each of which holds one JSON value. */
export interface NdjsonValidator<Value> {
  /** The maximum length of a line. */
  readonly bytesMax: number;
  /** Returns the value with the defaults of its schema. @throws InvalidLineError */
  read(line: Uint8Array): Value;
}

/** `message` describes every error of the line in whole sentences. */
export class InvalidLineError extends Error {
  override readonly name = 'InvalidLineError';

  /** @param unknownFields the fields of the line that the schema does not have. */
  constructor(
    message: string,
    readonly unknownFields: readonly string[] = [],
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/**
 * Validates lines as the service validates request bodies: the same JSON parser, schemas and limits.
 *
 * @param document where references in the schema lead.
 */
export function createSchemaValidator<Value>(
  schema: object,
  bytesMax: number,
  document: SchemaDocument,
): NdjsonValidator<Value> {
  const validate = createAjv(document, true).compile({ type: 'object', properties: { line: schema } });
  const read = (line: Uint8Array): JsonValue => {
    if (line.length > bytesMax) throw new InvalidLineError(`The line exceeds ${String(bytesMax)} bytes. Shorten it.`);
    const values = { line: parseLine(line) };
    if (validate(values)) return values.line;
    const errors = validate.errors ?? [];
    const unknown = errors.flatMap(({ params }) => (params['additionalProperty'] as string | undefined) ?? []);
    throw new InvalidLineError(describeErrors(errors), unknown);
  };
  return { bytesMax, read: read as NdjsonValidator<Value>['read'] };
}

function parseLine(line: Uint8Array): JsonValue {
  try {
    return parseJson(line, bodyValuesMax);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new InvalidLineError(`The line is not valid JSON: ${error.message}`, [], { cause: error });
  }
}
