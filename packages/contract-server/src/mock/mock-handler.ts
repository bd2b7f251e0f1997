import { setTimeout } from 'node:timers/promises';
import type { Context } from 'openapi-backend';
import type { HttpResponse, RequestContext } from '../http/request-context.js';
import { looksLikeApiKey, type SchemeHandlers, usedSchemes } from '../http/security.js';
import { stringifyJson } from '../json/exact-json.js';
import { ApiError } from '../lib/errors.js';
import type { ContractDocument } from '../openapi/document.js';
import type { Links } from '../openapi/links.js';
import { operationsOf } from '../openapi/operations.js';
import { publicUrlOf } from '../openapi/servers.js';
import { truncate } from '../openapi/validation-messages.js';
import { exampleHeaders, exampleItems, exampleNames, hasContent } from './contract-examples.js';
import { pageOf, type Query } from './example-pages.js';

/** The status of an operation that declares no success: it is reserved. */
const reservedStatus = '501';
/** Below the time after which the server closes a connection without progress. */
const waitSecondsMax = 20;

/** Resolves after a number of milliseconds. */
export type Delay = (ms: number) => Promise<unknown>;

/**
 * Creates the `notImplemented` handler of the mock server. It returns the first example of the success response, or
 * what the `Prefer` header selects: `code` selects a status, `example` an example by name, and `wait` a delay in
 * seconds. URLs in its headers lead to the mock server.
 *
 * The handler throws ApiError `invalid_request` for a status or an example that the operation does not have. RFC 7240
 * would have it ignored, but a test that selects one relies on it.
 */
export function createMockHandler(document: ContractDocument, links: Links, delay: Delay = setTimeout) {
  const publicUrl = publicUrlOf(document);
  const exampleOrigin = publicUrl === '' ? '' : new URL(publicUrl).origin;
  return async (call: Context, context: RequestContext): Promise<HttpResponse> => {
    const { operation } = call;
    const preferences = parsePrefer(context.request.headers['prefer']?.toString());
    const [code, selected] = [preferences.get('code'), preferences.get('example')];
    const status = selectStatus(operation.operationId ?? '', exampleNames(operation), code, selected);
    const waitMs = waitSecondsOf(preferences.get('wait')) * 1000;
    const { body, headers } = mockResponse(call, status, selected, links);
    if (exampleOrigin !== '')
      for (const name in headers) headers[name] = String(headers[name]).replaceAll(exampleOrigin, links.root());
    const applied = ['code', 'example', 'wait'].filter((name) => preferences.has(name));
    if (applied.length > 0)
      headers['Preference-Applied'] = applied.map((name) => `${name}=${String(preferences.get(name))}`).join(', ');
    // The example has all headers of its response, which replace those that the middleware would add.
    context.decision = undefined;
    if (waitMs > 0) await delay(waitMs);
    // A response without content, such as a 204, has no body; openapi-backend returns an empty object for it.
    return {
      status: Number(status),
      headers,
      ...(hasContent(operation, status) && { body: stringifyJson(body) }),
    };
  };
}

/** The selected example, or the examples that the query selects if the response is a list. */
function mockResponse(call: Context, status: string, selected: string | undefined, links: Links) {
  const { api, operation, request } = call;
  const [first = ''] = exampleNames(operation).get(status) ?? [];
  const example = selected ?? first;
  const { mock } = api.mockResponseForOperation(operation.operationId ?? '', { code: Number(status), example }) as {
    readonly mock: unknown;
  };
  const headers = exampleHeaders(operation, status, example);
  if (selected === undefined && Array.isArray(mock)) return listResponse(call, status, headers, links);
  // The last page is the one that a cursor selects, so that a client that follows the links comes to an end.
  if ('cursor' in request.query) delete headers['Link'];
  return { body: mock, headers };
}

function listResponse(
  { operation, request }: Context,
  status: string,
  { Link: _, ...headers }: Record<string, string>,
  links: Links,
) {
  const query = request.query as Query;
  const { items, next } = pageOf(exampleItems(operation, status), query);
  if (next === undefined) return { body: items, headers };
  const url = String(links.to(operation.operationId as string, request.params as Record<string, string>));
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries<unknown>({ ...query, cursor: next }))
    for (const item of [value].flat()) parameters.append(name, String(item));
  const link = `<${url}?${parameters.toString()}>; rel="next"`;
  return { body: items, headers: { ...headers, Link: link } as Record<string, string> };
}

/** @throws ApiError `invalid_request` for a delay that the server cannot wait. */
function waitSecondsOf(wait = '0'): number {
  if (/^[0-9]{1,2}$/.test(wait) && Number(wait) <= waitSecondsMax) return Number(wait);
  throw invalidPrefer(`\`Prefer\`: wait must be an integer from 0 to ${String(waitSecondsMax)}.`);
}

/** @throws ApiError `invalid_request` for an unknown status or example. */
function selectStatus(
  operationId: string,
  names: ReadonlyMap<string, readonly string[]>,
  code: string | undefined,
  example: string | undefined,
): string {
  const all = [...names.keys()];
  if (code !== undefined && !names.has(code)) throw unknownPreference('code', code, operationId, all.join(', '));
  if (example === undefined) return code ?? all.find((status) => /^[23]/.test(status)) ?? reservedStatus;
  const statuses = code === undefined ? all : [code];
  const status = statuses.find((candidate) => names.get(candidate)?.includes(example));
  if (status !== undefined) return status;
  const available = statuses.map((candidate) => `${candidate} ${names.get(candidate)?.join(' ') ?? ''}`).join(', ');
  throw unknownPreference('example', example, operationId, available);
}

function unknownPreference(name: string, value: string, operationId: string, available: string): ApiError {
  return invalidPrefer(`\`Prefer\`: unknown ${name} \`${truncate(value)}\`; ${operationId} has: ${available}.`);
}

/** 400. */
function invalidPrefer(message: string): ApiError {
  return new ApiError('invalid_request', message, { violations: [{ in: 'header', pointer: '/prefer', message }] });
}

const token = "[!#$%&'*+.^_`|~\\w-]+";
const quotedString = '"(?:[^"\\\\]|\\\\.)*"';
const pair = `(${token})(?:[ \\t]*=[ \\t]*(${token}|${quotedString}))?`;
/** One element of the list, which may be empty (RFC 9110, section 5.6.1): a preference with its parameters. */
const element = new RegExp(`(?:[ \\t]*${pair}(?:[ \\t]*;(?:[ \\t]*${pair})?)*)?[ \\t]*(?:,|$)`, 'gy');

/**
 * Parses a `Prefer` header (RFC 7240): the value of each preference by its name in lower case, '' if it has none. If a
 * preference occurs twice, the first counts. Parameters are ignored.
 *
 * @throws ApiError `invalid_request` if the header is not a list of preferences.
 */
function parsePrefer(header = ''): ReadonlyMap<string, string> {
  const preferences = new Map<string, string>();
  let parsedLength = 0;
  for (const [text, name, value = ''] of header.matchAll(element)) {
    parsedLength += text.length;
    if (name === undefined || preferences.has(name.toLowerCase())) continue;
    preferences.set(name.toLowerCase(), value.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value);
  }
  if (parsedLength < header.length)
    throw invalidPrefer('`Prefer` must be a list of preferences, such as code=404, wait=2.');
  return preferences;
}

/** Creates security handlers that accept any credentials, for every scope. Their caller has no quota. */
export function acceptAnyCredentials(document: ContractDocument): SchemeHandlers {
  const nodes = [document, ...operationsOf(document).map(({ operation }) => operation)];
  const scopes = nodes.flatMap(({ security = [] }) => security.flatMap((each) => Object.values(each).flat()));
  const caller = { id: 'mock', scopes };
  const handlers = usedSchemes(document).map((name) => {
    return [name, { identify: () => caller, hasApiKeys: looksLikeApiKey(document, name) }] as const;
  });
  return Object.fromEntries(handlers);
}
