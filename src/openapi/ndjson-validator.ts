import type { OpenAPIV3 } from 'openapi-types';
import { type JsonValue, MalformedJson, parseJson } from '../json/exact-json.js';
import { createAjv } from './create-ajv.js';
import { type BodyRule, bodyRuleOf, type ContractDocument, resolve } from './document.js';
import type { NewPet, OperationId, OperationRequest } from './types.js';
import { describeErrors } from './validation-messages.js';

/** Reads lines that each hold a value. */
export interface NdjsonValidator<Value> {
  /** The longest line that is read, in bytes. */
  readonly bytesMax: number;
  /** The value, with the defaults of its schema filled in. @throws InvalidLineError */
  read(line: Uint8Array): Value;
}

/** A line does not hold what it should. `message` says what is wrong with it, in whole sentences. */
export class InvalidLineError extends Error {
  override readonly name = 'FaultyLine';
}

/**
 * Reads lines by the very rules that hold for the body of an operation over HTTP: the same reader of JSON, the same
 * schema compiled by the same Ajv, the same limit of size. What it accepts the operation accepts, and what it refuses
 * would be answered 400 or 413.
 *
 * @throws TypeError if the operation has no body.
 */
export function createNdjsonValidator<Id extends OperationId>(
  document: ContractDocument,
  id: Id,
): NdjsonValidator<OperationRequest<Id>['body']> {
  const rule = requireBodyRule(document, id);
  return createSchemaReader(rule.schema, rule, document.components);
}

/**
 * The greatest id that an animal may bring along, 2^52. Ids that are assigned later follow the greatest, and must not
 * reach 2^53: half of them are left, which no service can use up.
 */
const broughtIdMax = 2 ** 52;

/** Reads lines like those of createPet, each with the id that the animal has, up to 2^52. */
export function createPetReader(document: ContractDocument): NdjsonValidator<NewPet & { readonly id: number }> {
  const rule = requireBodyRule(document, 'createPet');
  const newPet = resolve<OpenAPIV3.SchemaObject>(document, rule.schema);
  const stored = resolve<OpenAPIV3.SchemaObject>(document, { $ref: '#/components/schemas/Pet' });
  const withId = {
    ...newPet,
    required: ['id', ...(newPet.required ?? [])],
    properties: { id: { ...stored.properties?.['id'], maximum: broughtIdMax }, ...newPet.properties },
  };
  return createSchemaReader(withId, rule, document.components);
}

/**
 * Reads lines by a schema, exactly: integers of 64 bits stay what they are, no name may stand twice.
 *
 * @param components what references in the schema lead to.
 */
export function createSchemaReader<Value>(
  schema: object,
  { bytesMax, valuesMax }: Pick<BodyRule, 'bytesMax' | 'valuesMax'>,
  components: object = {},
): NdjsonValidator<Value> {
  // References are resolved against the outermost schema, which is this one.
  const validate = createAjv(false).compile({ type: 'object', properties: { line: schema }, components });
  const read = (line: Uint8Array): JsonValue => {
    if (line.length > bytesMax) throw new InvalidLineError(`The line may have at most ${String(bytesMax)} bytes.`);
    const values = { line: parseLine(line, valuesMax) };
    if (!validate(values)) throw new InvalidLineError(describeErrors(validate.errors ?? []));
    return values.line;
  };
  return { bytesMax, read: read as NdjsonValidator<Value>['read'] };
}

function requireBodyRule(document: ContractDocument, id: OperationId): BodyRule {
  const rule = bodyRuleOf(document, id);
  if (rule === undefined) throw new TypeError(`${id} has no body.`);
  return rule;
}

function parseLine(line: Uint8Array, valuesMax: number): JsonValue {
  try {
    return parseJson(line, valuesMax);
  } catch (error) {
    if (!(error instanceof MalformedJson)) throw error;
    throw new InvalidLineError(`The line is not valid JSON: ${error.message}`, { cause: error });
  }
}
