import { type Handler as BackendHandler, type Context, OpenAPIBackend } from 'openapi-backend';
import type { OpenAPIV3 } from 'openapi-types';
import { CompiledRouter, type Match } from './compiled-router.js';
import type { CompiledValidator } from './compiled-validator.js';
import { type ContractDocument, requireOperation } from './document.js';
import { findAt } from './json-pointer.js';
import { findJson } from './media-types.js';
import { resolve } from './operations.js';
import { replaceParts } from './replace-parts.js';
import { basePathOf } from './servers.js';
import type { AnyHandler, AnyHandlers, Caller, RequestMetadata } from './types.js';

/** The second argument of every handler of openapi-backend; the `RequestContext` of `http/` implements it. */
export interface RequestState {
  readonly match: Match | undefined;
  /** The callers that may call the operation, found before the body is read; `undefined` if it is not authorized. */
  readonly callers: readonly Caller[] | undefined;
  /** The quota that the request counts against; `undefined` without a valid API key. */
  readonly quota: { readonly id: string } | undefined;
  readonly body: { readonly bytes: Uint8Array };
}

type LifecycleHandler = (context: Context, state: RequestState) => unknown;

/** openapi-backend's handlers for requests that reach no operation handler, by its names. */
export type LifecycleHandlers = Readonly<
  Record<'notFound' | 'methodNotAllowed' | 'validationFail' | 'notImplemented', LifecycleHandler>
>;

export interface ApiOptions {
  readonly document: ContractDocument;
  readonly handlers: AnyHandlers;
  readonly lifecycleHandlers: Partial<LifecycleHandlers>;
}

/** openapi-backend with the compiled router and validator. */
export interface Api extends OpenAPIBackend<OpenAPIV3.Document> {
  router: CompiledRouter;
  validator: CompiledValidator;
}

/**
 * Creates openapi-backend as its documentation shows, and accelerates it with the router of the service.
 *
 * @param document was checked by `loadDocument`.
 */
export async function createApi({ document, handlers, lifecycleHandlers }: ApiOptions): Promise<Api> {
  const api = new OpenAPIBackend<OpenAPIV3.Document>({
    definition: dereference(document),
    apiRoot: basePathOf(document),
    strict: true,
    // `loadDocument` has checked it, also for OpenAPI 3.1, which openapi-backend does not know.
    quick: true,
    handlers: { ...adaptHandlers(document, handlers), ...lifecycleHandlers },
  });
  await api.init();
  return replaceParts(api, document, new CompiledRouter(document, api.definition, api.apiRoot)) as Api;
}

/**
 * A copy in which each reference is replaced by what it leads to, also if that contains itself: openapi-backend's own
 * library does not unescape pointers, nor follow references to references. Extensions and examples can contain any URI
 * as `$ref`, which is omitted.
 */
function dereference(document: ContractDocument): ContractDocument {
  const copies = new Map<unknown, unknown>();
  const follow = (node: unknown, followed: readonly unknown[] = []): unknown => {
    const { $ref } = (node ?? {}) as { readonly $ref?: unknown };
    const target = typeof $ref === 'string' && $ref.startsWith('#/') ? findAt(document, $ref) : undefined;
    return target === undefined || followed.includes(target) ? node : follow(target, [...followed, target]);
  };
  const copyOf = (reference: unknown): unknown => {
    const node = follow(reference);
    if (typeof node !== 'object' || node === null) return node;
    if (copies.has(node)) return copies.get(node);
    const copy = (Array.isArray(node) ? [] : {}) as Record<string, unknown>;
    copies.set(node, copy);
    for (const [name, value] of Object.entries(node))
      if (name !== '$ref' || typeof value !== 'string') copy[name] = copyOf(value);
    return copy;
  };
  return copyOf(document) as ContractDocument;
}

/** A handler as openapi-backend calls it: validation ensures that the request has the type of the handler. */
type UntypedHandler = (
  request: Readonly<Record<'path' | 'query' | 'header' | 'body', unknown>>,
  metadata: RequestMetadata,
) => Promise<unknown>;

/** Adapts handlers to the arguments that openapi-backend calls them with. */
function adaptHandlers(document: ContractDocument, handlers: AnyHandlers): Record<string, BackendHandler> {
  const adapt =
    (handle: UntypedHandler): BackendHandler =>
    ({ request: { params, query, headers, requestBody } }: Context, { callers, quota, body }: RequestState) => {
      if (callers === undefined) throw new TypeError('The request was not authorized.');
      return handle(
        { path: params, query, header: headers, body: requestBody },
        {
          callers,
          quotaId: quota?.id ?? '',
          bodyBytes: body.bytes,
        },
      );
    };
  return Object.fromEntries(
    Object.entries(handlers).map(([id, handle]) => [id, adapt(withMediaTypes(document, id, handle) as UntypedHandler)]),
  );
}

/** Adds the media type of responses whose JSON has another one than `application/json`. */
function withMediaTypes(document: ContractDocument, id: string, handle: AnyHandler): AnyHandler {
  const { responses } = requireOperation(document, id).operation;
  const types = new Map<string, string>();
  for (const [status, response] of Object.entries(responses)) {
    const [type = 'application/json'] = findJson(resolve<OpenAPIV3.ResponseObject>(document, response).content) ?? [];
    if (type !== 'application/json') types.set(status, type);
  }
  if (types.size === 0) return handle;
  return async (request, metadata) => {
    const reply = (await handle(request, metadata)) as { readonly status: number };
    return { mediaType: types.get(String(reply.status)), ...reply };
  };
}
