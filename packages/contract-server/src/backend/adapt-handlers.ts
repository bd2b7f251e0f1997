import type { BodyRule } from '@contract-server/core/bodies/body-rule.js';
import type { PlacedFile } from '@contract-server/core/bodies/uploaded-file.js';
import { type Contract, requireOperation } from '@contract-server/core/contract/contract.js';
import type { Links } from '@contract-server/core/contract/links.js';
import type { HandlerResponse } from '@contract-server/core/contract/responses.js';
import { Negotiation } from '@contract-server/core/responses/negotiation.js';
import { ResponseFilters } from '@contract-server/core/responses/response-filter.js';
import { ResponseValidator } from '@contract-server/core/responses/response-validator.js';
import { responseWriter } from '@contract-server/core/responses/response-writer.js';
import { discardStream } from '@contract-server/core/responses/streamed-body.js';
import type { AnyHooks } from '@contract-server/core/types/hooks.js';
import type { AnyHandlers, Caller, RequestMetadata } from '@contract-server/core/types/types.js';
import type { Handler as BackendHandler, Context } from 'openapi-backend';
import type { Logger } from 'pino';
import type { SecurityRequirement } from './compiled-operation.js';
import type { Match } from './compiled-router.js';
import { withHooks } from './with-hooks.js';

/** The second argument of every handler of openapi-backend; the `RequestContext` of `http/` implements it. */
export interface RequestState {
  readonly id: string;
  readonly match: Match | undefined;
  /** The security requirement that the request satisfies; empty if none is required, `undefined` without one. */
  readonly requirement: SecurityRequirement | undefined;
  /** What the security schemes of the operation have found; a text instead of a caller if they have found none. */
  readonly identities: readonly (Caller | string)[];
  /** The quota that the request counts against; `undefined` if its callers have none. */
  readonly quota: { readonly id: string } | undefined;
  readonly body: {
    readonly bytes: Uint8Array;
    readonly rule: Pick<BodyRule, 'name'> | undefined;
    readonly files: readonly PlacedFile[];
  };
  /** Without the request id. */
  readonly logger: Logger;
  readonly signal: AbortSignal;
  readonly lastEventId: string | undefined;
  /** Returns the `Accept` of the request, on which the response then depends (`Vary`). */
  readAccept(): string | undefined;
  readonly clientAddress: string | undefined;
  /** What the router passes on to the next route of the application, if the handler is `'next'`. */
  validated: ValidatedRequest | undefined;
}

/** The values that a handler receives, for a route of the application. */
export interface ValidatedRequest {
  readonly operationId: string;
  readonly values: HandlerRequest & { readonly context: RequestMetadata };
}

export interface HandlerOptions {
  /** URLs of operations, for the handlers. */
  readonly links: Links;
  /** Whether each response of a handler is validated before it is sent; one that does not conform is an error. */
  readonly validateResponses?: boolean | undefined;
  /** What runs before and after the handlers. */
  readonly hooks?: AnyHooks | undefined;
}

type HandlerRequest = Readonly<Record<'path' | 'query' | 'header' | 'cookie' | 'body' | 'mediaType', unknown>>;

/** A handler of any operation. Validation ensures that the request has the type of the handler. */
type UntypedHandler = (request: HandlerRequest, context: LazyContext) => Promise<HandlerResponse | undefined>;

/**
 * Adapts handlers to the arguments that openapi-backend calls them with, and what they return to the text to send. The
 * handler `'next'` stores what a handler receives, and returns `undefined`: there is no response yet.
 *
 * @throws TypeError for a handler of an operation that the contract lacks.
 */
export function adaptHandlers(
  contract: Contract,
  handlers: AnyHandlers,
  { links, validateResponses = false, hooks = {} }: HandlerOptions,
): Record<string, BackendHandler> {
  const filters = new ResponseFilters(contract.schemas);
  const validator = validateResponses ? new ResponseValidator(contract) : undefined;
  const adapt = (id: string, handle: UntypedHandler, isPassedOn: boolean): BackendHandler => {
    const operation = requireOperation(contract, id);
    const write = responseWriter(operation, filters);
    const validate = validator?.for(id);
    const negotiation = new Negotiation(operation);
    // A route of the application makes its own choice.
    const isNegotiated = negotiation.isRequired && !isPassedOn;
    return async ({ request }: Context, state: RequestState) => {
      if (isNegotiated) negotiation.choose(state.readAccept());
      const context = contextOf(state, links, negotiation);
      const returned = await handle(handlerRequestOf(request, state), context);
      if (returned === undefined && state.validated !== undefined) return undefined;
      try {
        requireStatus(id, returned);
        const response = write(returned);
        validate?.(response);
        return response;
      } catch (error) {
        discardStream((returned as Partial<HandlerResponse> | undefined)?.body);
        throw error;
      }
    };
  };
  return Object.fromEntries(
    Object.entries(handlers).flatMap(([id, handle]) => {
      if (handle === undefined) return [];
      const isPassedOn = handle === 'next';
      const own = isPassedOn ? passOn : (handle as unknown as UntypedHandler);
      return [[id, adapt(id, withHooks(id, own, hooks), isPassedOn)]];
    }),
  );
}

/** The handler `'next'`. */
function passOn(request: HandlerRequest, context: LazyContext): Promise<undefined> {
  LazyContext.passOn(request, context);
  return Promise.resolve(undefined);
}

function contextOf(state: RequestState, links: Links, negotiation: Negotiation): LazyContext {
  if (state.requirement === undefined) throw new TypeError('The request was not authorized.');
  return new LazyContext(state, state.requirement, links, negotiation);
}

function handlerRequestOf(request: object, { body: { rule, files } }: RequestState): HandlerRequest {
  const { params, query, headers, cookies, requestBody } = request as Readonly<Record<string, unknown>>;
  // The other values are valid.
  for (const { owner, key, file } of files) owner[key] = file;
  return { path: params, query, header: headers, cookie: cookies, body: requestBody, mediaType: rule?.name };
}

/** Node sends a response with a status below 200 too, after which the client waits for another one. */
function requireStatus(
  id: string,
  returned: Partial<HandlerResponse> | undefined,
): asserts returned is HandlerResponse {
  const status: unknown = returned?.status;
  if (Number.isInteger(status) && Number(status) >= 200 && Number(status) <= 599) return;
  throw new TypeError(`The handler of ${id} must return a status from 200 to 599, not ${String(status)}.`);
}

/** The context of a handler. Values that take time to create are created when they are first read. */
class LazyContext implements RequestMetadata {
  private child: Logger | undefined = undefined;

  constructor(
    private readonly state: RequestState,
    private readonly requirement: SecurityRequirement,
    readonly links: Links,
    private readonly negotiation: Negotiation,
  ) {}

  /** Stores what the router passes on, in the state, which handlers do not see. */
  static passOn(request: HandlerRequest, context: LazyContext): void {
    const { operationId, state } = context;
    state.validated = { operationId, values: { ...request, context } };
  }

  get operationId(): string {
    const { match } = this.state;
    return match?.kind === 'operation' ? match.operation.operationId : '';
  }

  /** A function that does not depend on `this`. */
  get accepts() {
    return (...types: readonly string[]) =>
      this.negotiation.choose(this.state.readAccept(), types.length === 0 ? undefined : types);
  }

  /** Those of the security requirement that the request satisfies, by scheme. */
  get callers(): Readonly<Record<string, Caller>> {
    const { identities } = this.state;
    return Object.fromEntries(this.requirement.map(({ name, index }) => [name, identities[index] as Caller]));
  }

  /** The only caller; `undefined` without one, or with several. */
  get caller(): Caller | undefined {
    const [first, second] = this.requirement;
    return first === undefined || second !== undefined ? undefined : (this.state.identities[first.index] as Caller);
  }

  get quotaId(): string | undefined {
    return this.state.quota?.id;
  }

  get bodyBytes(): Uint8Array {
    return this.state.body.bytes;
  }

  get requestId(): string {
    return this.state.id;
  }

  get log(): Logger {
    return (this.child ??= this.state.logger.child({ requestId: this.state.id }));
  }

  get signal(): AbortSignal {
    return this.state.signal;
  }

  get lastEventId(): string | undefined {
    return this.state.lastEventId;
  }

  get clientAddress(): string | undefined {
    return this.state.clientAddress;
  }
}
