import { STATUS_CODES } from 'node:http';
import { isJson, mediaTypeOf } from '@contract-server/core/contract/media-types.js';
import type { Schema } from '@contract-server/core/contract/schemas.js';
import { deprecationHeaders as announcement } from '@contract-server/core/contract/server-headers.js';
import { asciiText } from '@contract-server/core/lib/header-text.js';
import type { DeclareError, ErrorDescription, ErrorOrigin } from '../http/errors/error-responses.js';
import { rateLimitFamilies } from '../http/limits/rate-limit-headers.js';
import type { HttpResponse } from '../http/request-context.js';
import { rawHeadersOf } from '../http/wire/response-headers.js';
import type { MockedOperation } from './mocked-operation.js';
import type { MockedOperations } from './mocked-operations.js';
import { type MockedBody, type MockedResponse, withoutHeaders } from './mocked-response.js';

/**
 * Returns errors in the media type and the shape that the contract declares for their status, because clients read what
 * the contract declares: the body of the library if it fits, otherwise an example, or a sample of the schema with what
 * is known of the error. The header `X-Mock-Error` then states what the error is.
 *
 * A status that the operation does not declare has the response of the library.
 */
export function declareErrors(operations: MockedOperations): DeclareError {
  return (own, error, origin) => {
    const { match } = origin;
    const operation = match?.kind === 'operation' ? operations.get(match.operation.operationId) : undefined;
    const status = operation === undefined ? own.status : declaredStatus(operation, error, own.status);
    const declared = operation?.findError(status);
    return declared === undefined ? own : declaredAs(declared, own, { ...error, status }, origin);
  };
}

/** Many contracts declare 422 for requests that do not conform to them. */
function declaredStatus({ responses }: MockedOperation, { code }: ErrorDescription, status: number): number {
  const statuses = code === 'invalid_request' ? [status, 422] : [status];
  return statuses.find((each) => responses.has(String(each))) ?? status;
}

function declaredAs(
  declared: MockedResponse,
  own: Parameters<DeclareError>[0],
  error: ErrorDescription,
  origin: ErrorOrigin,
): ReturnType<DeclareError> {
  const { mediaType } = declared;
  const { status } = error;
  const headers = withDeclared(declared, own, origin);
  const stated = { ...headers, 'X-Mock-Error': asciiText(error.message) };
  if (mediaType === undefined) return { status, headers: stated, code: own.code };
  if (isDescribed(declared, mediaType, own)) return { ...own, status, mediaType, headers };
  const body = bodyOf(declared, mediaType, error);
  return body === undefined ? own : { status, headers: stated, body: body.written, mediaType, code: own.code };
}

/**
 * Whether the body of the library is what a client expects: it is valid, and the schema has the message, or no field.
 */
function isDescribed(declared: MockedResponse, mediaType: string, { body }: Parameters<DeclareError>[0]): boolean {
  const names = Object.keys(declared.properties());
  const isFree = names.length === 0 && declared.examples.size === 0;
  const isExpected = isJson(mediaType) && (isFree || names.includes('message'));
  return isExpected && declared.isValid(JSON.parse(body));
}

/** The headers of the library, and those that the response declares besides. */
function withDeclared(
  declared: MockedResponse,
  own: HttpResponse,
  { decision, deprecationHeaders, rateLimitHeaders = rateLimitFamilies.both }: ErrorOrigin,
): NonNullable<HttpResponse['headers']> {
  const raw = rawHeadersOf({ id: '', decision, deprecationHeaders, rateLimitHeaders }, own);
  const sent = raw.filter((_, index) => index % 2 === 0).map(String);
  // The library announces the removal of an operation itself.
  const left = [...sent, ...announcement];
  return { ...withoutHeaders(declared.headers(), left), ...own.headers };
}

/**
 * An example with the status of the error; otherwise a sample with all that is known of the error, as far as the values
 * are valid.
 */
function bodyOf(declared: MockedResponse, mediaType: string, error: ErrorDescription): MockedBody | undefined {
  const found = declared.findBody();
  const isExample = declared.examples.size > 0;
  const isText = typeof found?.value === 'string' && !isJson(mediaType);
  if (isText && !isExample) return declared.bodyOf(error.message) ?? found;
  return isObject(found?.value)
    ? withFields(declared, found, isExample ? { status: error.status } : fieldsOf(mediaType, error))
    : found;
}

function withFields(
  declared: MockedResponse,
  found: MockedBody | undefined,
  fields: Readonly<Record<string, unknown>>,
): MockedBody | undefined {
  const properties = declared.properties();
  let body = found;
  for (const [name, known] of Object.entries(fields)) {
    const { [name]: schema } = properties;
    if (schema === undefined || (ownWords.includes(name) && isStated(schema))) continue;
    body = declared.bodyOf({ ...(body?.value as object), [name]: known }) ?? body;
  }
  return body;
}

/** Fields whose values are the vocabulary of a contract, so that its examples describe them better. */
const ownWords = ['title', 'code', 'type'];

function isStated({ example, examples, default: standard }: Schema): boolean {
  return [example, examples, standard].some((each) => each !== undefined);
}

/** The names of the fields that describe an error in many contracts, and in problem details (RFC 9457, section 3.1). */
function fieldsOf(mediaType: string, { code, message, status }: ErrorDescription): Readonly<Record<string, unknown>> {
  const isProblem = mediaTypeOf(mediaType) === 'application/problem+json';
  const title = STATUS_CODES[status] ?? 'Error';
  return { ...(isProblem && { type: 'about:blank' }), title, detail: message, code, message, status };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
