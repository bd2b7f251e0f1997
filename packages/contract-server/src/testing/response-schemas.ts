import type { ValidateFunction } from 'ajv';
import type { OpenAPIV3 } from 'openapi-types';
import { createAjv } from '../openapi/create-ajv.js';
import type { ContractDocument } from '../openapi/document.js';
import { resolve } from '../openapi/operations.js';

type Node = Record<string, unknown>;

/** Compiles the schemas of a contract, as they apply to responses, on first use. */
export class ResponseSchemas {
  private readonly ajv: ReturnType<typeof createAjv>;
  private readonly document: ContractDocument;
  private readonly validators = new Map<object, ValidateFunction>();

  constructor(document: ContractDocument) {
    this.document = document;
    this.ajv = createAjv(forResponses(document, document) as ContractDocument);
    // A required field that a response lacks is missing, even if it has a default.
    this.ajv.opts.useDefaults = false;
  }

  /** @param schema part of the document. The errors are in the property `errors` of the function. */
  validatorOf(schema: object): ValidateFunction {
    const validate = this.validators.get(schema) ?? this.ajv.compile(forResponses(this.document, schema) as object);
    this.validators.set(schema, validate);
    return validate;
  }
}

/** A copy in which properties that are `writeOnly` are not required, and must not be sent (OpenAPI 3.0.4, 4.7.24.2). */
function forResponses(document: object, node: unknown): unknown {
  if (Array.isArray(node)) return node.map((item) => forResponses(document, item));
  if (typeof node !== 'object' || node === null) return node;
  const copy: Node = Object.fromEntries(
    Object.entries(node).map(([name, value]) => [name, forResponses(document, value)]),
  );
  const { properties, required } = node as Node;
  const hidden = Object.entries(isObject(properties) ? properties : {}).flatMap(([name, property]) =>
    isWriteOnly(document, property) ? [name] : [],
  );
  if (hidden.length === 0) return copy;
  copy['properties'] = { ...(copy['properties'] as Node), ...Object.fromEntries(hidden.map((name) => [name, false])) };
  if (Array.isArray(required)) copy['required'] = required.filter((name) => !hidden.includes(String(name)));
  return copy;
}

function isWriteOnly(document: object, property: unknown): boolean {
  return isObject(property) && resolve<OpenAPIV3.SchemaObject>(document, property).writeOnly === true;
}

function isObject(value: unknown): value is Node {
  return typeof value === 'object' && value !== null;
}
