import type { Contract } from '@contract-server/core/contract/contract.js';
import type { ContractDocument } from '@contract-server/core/contract/document.js';
import { findAt } from '@contract-server/core/contract/json-pointer.js';
import { setMember } from '@contract-server/core/json/object-members.js';
import type { AnyHandlers } from '@contract-server/core/types/types.js';
import { type Context, OpenAPIBackend } from 'openapi-backend';
import type { OpenAPIV3 } from 'openapi-types';
import { adaptHandlers, type HandlerOptions, type RequestState } from './adapt-handlers.js';
import { CompiledRouter } from './compiled-router.js';
import { CompiledValidator } from './compiled-validator.js';

type LifecycleHandler = (context: Context, state: RequestState) => unknown;

/** openapi-backend's handlers for requests that reach no operation handler, by its names. */
export type LifecycleHandlers = Readonly<
  Record<'notFound' | 'methodNotAllowed' | 'validationFail' | 'notImplemented', LifecycleHandler>
>;

export interface ApiOptions extends HandlerOptions {
  /** Of a document that `loadDocument` has checked. */
  readonly contract: Contract;
  readonly handlers: AnyHandlers;
  readonly lifecycleHandlers: Partial<LifecycleHandlers>;
}

/** openapi-backend with the compiled router and validator. */
export interface Api extends OpenAPIBackend<OpenAPIV3.Document> {
  router: CompiledRouter;
  validator: CompiledValidator;
}

/**
 * Creates openapi-backend as its documentation shows, and replaces its router and its validator with compiled ones,
 * through its public properties.
 */
export async function createApi({ contract, handlers, lifecycleHandlers, ...options }: ApiOptions): Promise<Api> {
  const { document, prefix } = contract;
  const api = new OpenAPIBackend<OpenAPIV3.Document>({
    definition: dereference(document),
    apiRoot: prefix,
    strict: true,
    // `loadDocument` has checked it, also for OpenAPI 3.1, which openapi-backend does not support.
    quick: true,
  });
  await api.init();
  const router = new CompiledRouter(contract, api.definition, api.apiRoot);
  const compiled = Object.assign(api, { router, validator: new CompiledValidator(router, contract.schemas) });
  compiled.validator.compileInTurn();
  // An operation can have the name of a member of every object, such as `toString`.
  Object.setPrototypeOf(compiled.handlers, null);
  // The original router creates every operation for each handler.
  compiled.register({ ...adaptHandlers(contract, handlers, options), ...lifecycleHandlers });
  return compiled;
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
      if (name !== '$ref' || typeof value !== 'string') setMember(copy, name, copyOf(value));
    return copy;
  };
  return copyOf(document) as ContractDocument;
}
