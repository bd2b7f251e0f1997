import type { ValidateFunction } from 'ajv';
import { expect } from 'chai';
import { OpenAPIBackend } from 'openapi-backend';
import type { OpenAPIV3 } from 'openapi-types';
import { parseJson } from '#src/json/exact-json.js';
import { createAjv } from '#src/openapi/create-ajv.js';
import { basePathOf } from '#src/openapi/document.js';
import { contractUrl, readContract } from '#src/openapi/load-contract.js';
import type { ErrorCode } from '#src/openapi/types.js';
import { noOperation, recordResponse } from './seen-responses.js';

/** An answer as it came over the wire. Header names are in lower case. */
export interface ReceivedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

type Headers = Readonly<Record<string, OpenAPIV3.HeaderObject>>;

/** What HTTP itself and CORS need, and no contract declares; docs/decisions.md lists it. */
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
 * Fails unless the contract declares the answer of the server: its status, its body, every header that it has, and
 * every one that it must have. Answers outside the path prefix are no part of the contract, but their errors look like
 * all others. What conforms is noted, so that a run of the whole suite can tell what of the contract was never seen.
 */
export function assertConforms(method: string, target: string, answer: ReceivedResponse): void {
  const { place, code } = requireDeclared(method, target, answer);
  recordResponse(place, answer, code);
}

/** The same for an answer of the mock, which says nothing about what the server answers. */
export function assertMockConforms(method: string, target: string, answer: ReceivedResponse): void {
  requireDeclared(method, target, answer);
}

/** The operation and the error code of an answer, as far as they belong to the contract. */
function requireDeclared(
  method: string,
  target: string,
  answer: ReceivedResponse,
): { place?: string | undefined; code?: string | undefined } {
  const path = target.split('?', 1)[0] ?? '';
  // No browser may take a response for something else than it says that it is (Fetch standard,
  // "X-Content-Type-Options").
  expect(answer.headers, `${method} ${target}`).to.include({ 'x-content-type-options': 'nosniff' });
  const isApi = path.startsWith(`${basePath}/`);
  if (!isApi && answer.status < 400) return {};
  const { place, responses } = placeOf(method, path);
  const where = `${method} ${target} answers ${String(answer.status)}`;
  const declared = responses[String(answer.status)] as OpenAPIV3.ResponseObject | undefined;
  if (declared === undefined) throw new Error(`${where}, which the contract does not declare for it.`);
  const code = assertBody(where, method, declared, answer);
  if (isApi) assertHeaders(where, (declared.headers ?? {}) as Headers, answer);
  return { place: isApi ? place : undefined, code };
}

/** The operation that is called, with what it may answer. */
function placeOf(
  method: string,
  path: string,
): { readonly place: string; readonly responses: OpenAPIV3.ResponsesObject } {
  const operation = api.router.matchOperation({ method: method === 'HEAD' ? 'GET' : method, path, headers: {} });
  if (operation === undefined) return { place: noOperation, responses: api.definition['x-service-responses'] };
  return { place: operation.operationId ?? '', responses: operation.responses };
}

/** Gives the code of an Error body. */
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

/** A header is checked as a member of an object, so that the text of an integer can become one. */
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
  if (!validate(value)) throw new Error(`${where}, which breaks the contract: ${bodyAjv.errorsText(validate.errors)}`);
}
