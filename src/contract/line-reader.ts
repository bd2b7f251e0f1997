import { bodyRuleOf, type ContractDocument } from './document.js';
import { createExactAjv } from './exact-ajv.js';
import { type JsonValue, MalformedJson, parseJson } from './exact-json.js';
import { describeFaults } from './request-faults.js';
import type { Call, OperationId } from './types.js';

/** Reads lines that each hold the body of one call of an operation. */
export interface LineReader<Id extends OperationId> {
  /** The longest line that is read, in bytes, from `x-max-body-bytes`. */
  readonly bytesMax: number;
  /** The body, with the defaults of the contract filled in. @throws FaultyLine */
  read(line: Uint8Array): Call<Id>['body'];
}

/** A line holds no body of the operation. `message` says what is wrong with it, in whole sentences. */
export class FaultyLine extends Error {
  override readonly name = 'FaultyLine';
}

/**
 * Reads lines by the very rules that hold for the operation over HTTP: the same reader of JSON, the same schema compiled by the same
 * Ajv, the same limit of size. What it accepts the operation accepts, and what it refuses would be answered 400 or 413.
 *
 * @throws TypeError if the operation has no body.
 */
export function createLineReader<Id extends OperationId>(document: ContractDocument, id: Id): LineReader<Id> {
  const rule = bodyRuleOf(document, id);
  if (rule === undefined) throw new TypeError(`${id} has no body.`);
  const { bytesMax, schema } = rule;
  const validate = createExactAjv(false).compile({
    type: 'object',
    properties: { line: schema },
    // References in the schema lead to the components; they are resolved against the outermost schema, which is this one.
    components: document.components,
  });
  const read = (line: Uint8Array): JsonValue => {
    if (line.length > bytesMax) throw new FaultyLine(`The line may have at most ${String(bytesMax)} bytes.`);
    const values = { line: parseLine(line) };
    if (!validate(values)) throw new FaultyLine(describeFaults(validate.errors ?? []));
    return values.line;
  };
  return { bytesMax, read: read as LineReader<Id>['read'] };
}

function parseLine(line: Uint8Array): JsonValue {
  try {
    return parseJson(line);
  } catch (error) {
    if (!(error instanceof MalformedJson)) throw error;
    throw new FaultyLine(`The line is not valid JSON: ${error.message}`, { cause: error });
  }
}
