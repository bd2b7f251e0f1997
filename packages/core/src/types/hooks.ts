import type {
  CallersByScheme,
  ContractTypes,
  HandlerContext,
  OperationId,
  OperationRequest,
  OperationResponse,
  RequestMetadata,
} from './types.js';

/** What a hook returns: nothing, or a response. */
// eslint-disable-next-line @typescript-eslint/no-invalid-void-type -- a function without `return` has this type.
type Returned<Response> = Response | void | Promise<Response | void>;

/** A response of any operation. */
interface AnyResponse {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly mediaType?: string;
}

/** The request of any operation. */
type AnyRequest = Readonly<Record<'path' | 'query' | 'header' | 'cookie' | 'body' | 'mediaType', unknown>>;

/** The context of any operation. */
type AnyContext<Contract extends ContractTypes, Callers> = RequestMetadata<OperationId<Contract>> & {
  /** Those of the security requirement that the request satisfies, by scheme. */
  readonly callers: Partial<Callers>;
};

/**
 * Functions that run before and after the handlers of operations, by operationId; `'*'` for every operation. The
 * request is authenticated and validated. An error that a hook throws becomes a response as that of a handler does.
 */
export interface Hooks<Contract extends ContractTypes, Callers = CallersByScheme> {
  /** A response that it returns takes the place of that of the handler, which is not called. `'*'` runs first. */
  readonly before?: {
    readonly [Id in OperationId<Contract>]?: (
      request: OperationRequest<Contract, Id>,
      context: HandlerContext<Contract, Id, Callers>,
    ) => Returned<OperationResponse<Contract, Id>>;
  } & { readonly '*'?: (request: AnyRequest, context: AnyContext<Contract, Callers>) => Returned<AnyResponse> };
  /**
   * Receives the response of the handler, or of `before`, and may return another one. It does not run after an error.
   * `'*'` runs last.
   */
  readonly after?: {
    readonly [Id in OperationId<Contract>]?: (
      request: OperationRequest<Contract, Id>,
      response: OperationResponse<Contract, Id>,
      context: HandlerContext<Contract, Id, Callers>,
    ) => Returned<OperationResponse<Contract, Id>>;
  } & {
    readonly '*'?: (
      request: AnyRequest,
      response: AnyResponse,
      context: AnyContext<Contract, Callers>,
    ) => Returned<AnyResponse>;
  };
}

type AnyHook = (...args: never[]) => Returned<unknown>;

/** Hooks of any contract. */
export interface AnyHooks {
  readonly before?: Readonly<Record<string, AnyHook | undefined>> | undefined;
  readonly after?: Readonly<Record<string, AnyHook | undefined>> | undefined;
}
