import type { ValidateFunction } from 'ajv';
import { expect } from 'chai';
import { OpenAPIBackend } from 'openapi-backend';
import type { OpenAPIV3 } from 'openapi-types';
import { parseJson } from '#src/json/exact-json.js';
import type { ErrorCode } from '#src/lib/errors.js';
import { createAjv } from '#src/openapi/create-ajv.js';
import { basePathOf } from '#src/openapi/document.js';
import { contractUrl, readContract } from '#src/openapi/load-contract.js';
import { documents, noOperation, recordResponse } from './seen-responses.js';

/** A response as it was received. Header names are in lower case. */
export interface ReceivedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

type Headers = Readonly<Record<string, OpenAPIV3.HeaderObject>>;

/** Headers of HTTP and CORS, which the contract does not declare; docs/decisions.md lists them. */
const transportHeaders = new Set([
  ...[
    'cache-control',
    'connection',
    'content-length',
    'content-type',
    'date',
    'keep-alive',
    'transfer-encoding',
    'vary',
  ],
  'x-content-type-options',
]);

const { document } = await readContract(contractUrl);
const basePath = basePathOf(document);
// openapi-backend with its own router and validator, to check those of the server independently.
const api = await new OpenAPIBackend({
  definition: structuredClone(document),
  apiRoot: basePath,
  strict: true,
  ignoreTrailingSlashes: false,
  ajvOpts: { logger: false },
}).init();
const bodyAjv = createAjv(false);
const headerAjv = createAjv(true);
const validators = new Map<object, ValidateFunction>();

/**
 * Fails unless the contract declares the response of the server: its status, its body, and exactly its headers. Records
 * the response for the contract coverage. The contract does not declare successful responses outside the path prefix.
 */
export function assertConforms(method: string, target: string, response: ReceivedResponse): void {
  const { place, code } = requireDeclared(method, target, response);
  if (place !== undefined) recordResponse(place, response, code);
}

/** Validates a response of the mock server, which is not recorded. */
export function assertMockConforms(method: string, target: string, response: ReceivedResponse): void {
  requireDeclared(method, target, response);
}

/** Returns the place that declares a response, `undefined` if the contract does not cover it, and its error code. */
function requireDeclared(
  method: string,
  target: string,
  response: ReceivedResponse,
): { place?: string | undefined; code?: string | undefined } {
  const path = target.split('?', 1)[0] ?? '';
  // Browsers must not guess the media type (Fetch standard, "X-Content-Type-Options").
  expect(response.headers, `${method} ${target}`).to.include({ 'x-content-type-options': 'nosniff' });
  const status = String(response.status);
  const isApi = path === basePath || path.startsWith(`${basePath}/`);
  if (!isApi && response.status < 400 && response.status !== 204) return {};
  const { place, responses } = isApi ? declarationOf(method, path) : declarationOutside(status);
  const where = `${method} ${target} returns ${status}`;
  const declared = responses[status] as OpenAPIV3.ResponseObject | undefined;
  if (declared === undefined) throw new Error(`${where}, which the contract does not declare for ${place}.`);
  const code = assertBody(where, method, declared, response);
  assertHeaders(where, (declared.headers ?? {}) as Headers, response);
  return { place, code };
}

interface Declaration {
  /** The operationId, `noOperation` or `documents`. */
  readonly place: string;
  readonly responses: OpenAPIV3.ResponsesObject;
}

function declarationOf(method: string, path: string): Declaration {
  const operation = api.router.matchOperation({ method: method === 'HEAD' ? 'GET' : method, path, headers: {} });
  if (operation === undefined) return { place: noOperation, responses: api.definition['x-service-responses'] };
  return { place: operation.operationId ?? '', responses: operation.responses };
}

/** Malformed HTTP has the same response with any target. */
function declarationOutside(status: string): Declaration {
  const { 'x-document-responses': outside, 'x-service-responses': responses } = api.definition;
  return status in outside ? { place: documents, responses: outside } : { place: noOperation, responses };
}

/** Validates a body. Returns its error code. */
function assertBody(
  where: string,
  method: string,
  declared: OpenAPIV3.ResponseObject,
  { status, headers, text }: ReceivedResponse,
): string | undefined {
  const media = declared.content?.['application/json'];
  if (method === 'HEAD' || media === undefined) {
    expect(text, `${where} with a body`).to.equal('');
    return undefined;
  }
  expect(headers['content-type'], where).to.equal('application/json');
  const body = parseJson(Buffer.from(text));
  assertValid(where, validatorFor(media.schema as object, false), body);
  if (status < 400) return undefined;
  expect(body, where).to.have.all.keys('code', 'message', 'status').and.include({ status });
  const { code } = body as { code: ErrorCode };
  expect(document['x-error-codes'][code], `${where}: ${code} in x-error-codes`).to.include({ status });
  return code;
}

function assertHeaders(where: string, declared: Headers, { headers }: ReceivedResponse): void {
  const names = Object.keys(declared);
  for (const name of Object.keys(headers)) {
    const isTransport = transportHeaders.has(name) || name.startsWith('access-control-');
    const isDeclared = isTransport || names.some((declaredName) => declaredName.toLowerCase() === name);
    if (!isDeclared) throw new Error(`${where} with the header ${name}, which the contract does not declare.`);
  }
  for (const [name, header] of Object.entries(declared)) {
    const value = headers[name.toLowerCase()];
    if (value !== undefined) assertValid(`${where}: ${name}`, validatorFor(header.schema as object, true), { value });
    else if (header.required === true) throw new Error(`${where} without the header ${name}.`);
  }
}

/** Ajv coerces only properties, so a header is validated as a property of an object. */
function validatorFor(schema: object, isHeader: boolean): ValidateFunction {
  const present = validators.get(schema);
  if (present !== undefined) return present;
  const validate = isHeader
    ? headerAjv.compile({ type: 'object', properties: { value: schema } })
    : bodyAjv.compile(schema);
  validators.set(schema, validate);
  return validate;
}

function assertValid(where: string, validate: ValidateFunction, value: unknown): void {
  if (!validate(value))
    throw new Error(`${where}, which does not conform to the contract: ${bodyAjv.errorsText(validate.errors)}`);
}
