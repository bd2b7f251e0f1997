import { setTimeout } from 'node:timers/promises';
import type { Contract } from '@contract-server/core/contract/contract.js';
import type { Links } from '@contract-server/core/contract/links.js';
import { deprecationHeaders } from '@contract-server/core/contract/server-headers.js';
import { publicUrlOf } from '@contract-server/core/contract/servers.js';
import { stringifyJson } from '@contract-server/core/json/exact-json.js';
import type { Context } from 'openapi-backend';
import type { HttpResponse, RequestContext } from '../http/request-context.js';
import { looksLikeApiKey, type SchemeHandlers, usedSchemes } from '../http/security/security.js';
import { pageOf, type Query } from './example-pages.js';
import type { MockedOperation } from './mocked-operation.js';
import type { MockedOperations } from './mocked-operations.js';
import { type MockedResponse, withoutHeaders } from './mocked-response.js';
import { type Preferences, readPreferences, selectResponse } from './prefer.js';

/** Resolves after a number of milliseconds. */
export type Delay = (ms: number) => Promise<unknown>;

/**
 * Creates the `notImplemented` handler of the mock server. It returns the success response, or what the `Prefer` header
 * selects: its first valid example, or a sample of its schema. URLs in its headers lead to the mock server.
 *
 * The handler throws ApiError `invalid_request` for preferences that it cannot apply, and `not_implemented` if there is
 * no response to return.
 */
export function createMockHandler(
  { document }: Contract,
  operations: MockedOperations,
  links: Links,
  delay: Delay = setTimeout,
) {
  const publicUrl = publicUrlOf(document);
  const exampleOrigin = publicUrl === '' ? '' : new URL(publicUrl).origin;
  return async (call: Context, context: RequestContext): Promise<HttpResponse> => {
    const operation = requireMocked(operations, call);
    const preferences = readPreferences(context.request.headers['prefer']?.toString());
    const { status, response } = selectAccepted(operation, preferences, context);
    const { headers: all, body } = mockResponse(call, operation, response, preferences.example, links);
    // Those of the announced removal are added to every response; links of both are joined.
    const added = Object.keys(context.deprecationHeaders ?? {}).filter((name) => name !== 'Link');
    const { 'Cache-Control': cacheControl, ...headers } = withoutHeaders(withoutAnnouncement(call, all), added);
    if (exampleOrigin !== '')
      for (const name in headers) headers[name] = String(headers[name]).replaceAll(exampleOrigin, links.root());
    if (preferences.applied !== '') headers['Preference-Applied'] = preferences.applied;
    // The example has all headers of its response, which replace those that the middleware would add.
    context.decision = undefined;
    if (preferences.waitSeconds > 0) await delay(preferences.waitSeconds * 1000);
    // Responses of these statuses have no content, whatever the contract declares (RFC 9110, section 6.4.1).
    const hasBody = body !== undefined && ![204, 205, 304].includes(status);
    return {
      status,
      headers,
      ...(cacheControl && { cacheControl }),
      ...(hasBody && { body, mediaType: String(response.mediaType) }),
    };
  };
}

/**
 * Omits the announcement of a removal unless the operation is deprecated: a response that declares it can be shared by
 * other operations.
 */
function withoutAnnouncement({ operation }: Context, headers: Record<string, string>): Record<string, string> {
  const isAnnounced = Object.keys(headers).some((name) => /^(deprecation|sunset)$/i.test(name));
  return isAnnounced && operation.deprecated !== true ? withoutHeaders(headers, deprecationHeaders) : headers;
}

/**
 * Selects the response as `selectResponse`, in the media type that the client prefers, unless the selected example has
 * another one.
 *
 * @throws ApiError `not_acceptable` if the client accepts none, and the operation declares the status 406.
 */
function selectAccepted(
  operation: MockedOperation,
  preferences: Preferences,
  context: Pick<RequestContext, 'readAccept'>,
): ReturnType<typeof selectResponse> {
  const { code, example } = preferences;
  if (operation.negotiation.isRequired && code === undefined) operation.negotiation.choose(context.readAccept());
  const { status, response } = selectResponse(operation, preferences);
  if (response.others.length === 0) return { status, response };
  const accepted = response.accepting(context.readAccept());
  return { status, response: example === undefined || accepted.examples.has(example) ? accepted : response };
}

/** @throws TypeError if there is no such operation. */
function requireMocked(operations: MockedOperations, { operation: { operationId = '' } }: Context): MockedOperation {
  const operation = operations.get(operationId);
  if (operation === undefined) throw new TypeError(`The contract has no operation ${operationId}.`);
  return operation;
}

/** The selected example, or the examples that the query selects if the response is a list. */
function mockResponse(
  call: Context,
  operation: MockedOperation,
  response: MockedResponse,
  selected: string | undefined,
  links: Links,
) {
  const items = selected === undefined ? response.items() : undefined;
  const headers = response.headers(selected);
  if (items !== undefined) return listResponse(call, operation, { response, items, headers }, links);
  // The last page is the one that a cursor selects, so that a client that follows the links comes to an end.
  if ('cursor' in call.request.query) delete headers['Link'];
  return { headers, body: response.body(selected)?.written };
}

interface List {
  readonly response: MockedResponse;
  readonly items: readonly unknown[];
  readonly headers: Record<string, string>;
}

function listResponse(
  { request }: Context,
  { id, queryParameters, rejectsCursors }: MockedOperation,
  { response, items: all, headers: { Link: _, ...headers } }: List,
  links: Links,
): { headers: Record<string, string>; body: string } {
  const query = request.query as Query;
  const { items, next } = pageOf(all, query, rejectsCursors);
  // The schema can require more items than the query selects.
  const body = stringifyJson(response.isValid(items) ? items : all);
  if (next === undefined || !queryParameters.includes('cursor')) return { headers, body };
  const url = String(links.to(id, request.params as Record<string, string>));
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries<unknown>({ ...query, cursor: next }))
    for (const item of [value].flat()) parameters.append(name, String(item));
  return { headers: { ...headers, Link: `<${url}?${parameters.toString()}>; rel="next"` }, body };
}

/** Creates security handlers that accept any credentials, for every scope. Their caller has no quota. */
export function acceptAnyCredentials(contract: Contract): SchemeHandlers {
  const requirements = contract.operations.flatMap((operation) => operation.requirements);
  const scopes = requirements.flatMap((requirement) => Object.values(requirement).flat());
  const caller = { id: 'mock', scopes };
  const handlers = usedSchemes(contract).map((name) => {
    return [name, { identify: () => caller, hasApiKeys: looksLikeApiKey(contract, name) }] as const;
  });
  return Object.fromEntries(handlers);
}
