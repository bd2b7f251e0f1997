import type { Context } from 'openapi-backend';
import { contractPath, type Links } from '../http/links.js';
import type { OperationCall } from '../http/middleware/serve-operation.js';
import type { HttpResponse } from '../http/request-context.js';
import { ApiError } from '../openapi/api-error.js';
import type { ContractDocument } from '../openapi/document.js';
import { truncate } from '../openapi/validation-messages.js';
import { exampleHeaders, exampleNames, hasContent, originOf } from './contract-examples.js';
import { parsePrefer } from './parse-prefer.js';

/** The status of an operation that declares no success: it is reserved. */
const reservedStatus = '501';

/**
 * Creates the `notImplemented` handler of the mock server. It returns the first example of the success response, or the
 * example that the `Prefer` header selects: `code` selects a status, `example` an example by name. URLs in its headers
 * lead to the mock server.
 *
 * The handler throws ApiError `invalid_request` for a status or an example that the operation does not have. RFC 7240
 * would have it ignored, but a test that selects one relies on it.
 */
export function createMockHandler(document: ContractDocument, links: Links) {
  const exampleOrigin = originOf(document);
  return ({ api, operation, request }: Context, { context }: OperationCall): HttpResponse => {
    const preferences = parsePrefer(context.request.headers['prefer']?.toString());
    const { operationId = '' } = operation;
    const names = exampleNames(operation);
    const code = selectStatus(operationId, names, preferences.get('code'), preferences.get('example'));
    const example = preferences.get('example') ?? names.get(code)?.[0] ?? '';
    const status = Number(code);
    const { mock } = api.mockResponseForOperation(operationId, { code: status, example }) as { mock: unknown };
    const headers = exampleHeaders(operation, code, example);
    // The last page is the one that a cursor selects, so that a client that follows the links comes to an end.
    if ('cursor' in request.query) delete headers['Link'];
    for (const name in headers) headers[name] = String(headers[name]).replaceAll(exampleOrigin, rootOf(links));
    const applied = ['code', 'example'].filter((name) => preferences.has(name));
    if (applied.length > 0) {
      headers['Preference-Applied'] = applied.map((name) => `${name}=${String(preferences.get(name))}`).join(', ');
    }
    // The example has all headers of its response, which replace those that the middleware would add.
    context.deprecationHeaders = undefined;
    context.decision = undefined;
    // A response without content, such as a 204, has no body; openapi-backend returns an empty object for it.
    return hasContent(operation, code) ? { status, headers, body: JSON.stringify(mock) } : { status, headers };
  };
}

function selectStatus(
  operationId: string,
  names: ReadonlyMap<string, readonly string[]>,
  code: string | undefined,
  example: string | undefined,
): string {
  const all = [...names.keys()];
  if (code !== undefined && !names.has(code)) {
    throw unknownPreference(`code ${truncate(code)}. ${operationId} has: ${all.join(', ')}.`);
  }
  if (example === undefined) return code ?? all.find((status) => status.startsWith('2')) ?? reservedStatus;
  const statuses = code === undefined ? all : [code];
  const status = statuses.find((candidate) => names.get(candidate)?.includes(example));
  if (status !== undefined) return status;
  const available = statuses.map((candidate) => `${candidate} ${names.get(candidate)?.join(' ') ?? ''}`).join(', ');
  throw unknownPreference(`example ${truncate(example)}. ${operationId} has: ${available}.`);
}

function unknownPreference(message: string): ApiError {
  return new ApiError('invalid_request', `Header prefer selects an unknown ${message}`);
}

/** The URL of the mock server without the path prefix of the API. */
function rootOf(links: Links): string {
  return links.toContract().slice(0, -contractPath.length);
}
