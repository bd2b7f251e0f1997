import express, { type Request, type RequestHandler } from 'express';
import type { Logger } from 'pino';
import { KeyRedactor } from '../api-keys/key-redactor.js';
import type { CompiledRouter } from '../backend/compiled-router.js';
import type { Contract } from '../contract/contract.js';
import { Links } from '../contract/links.js';
import { type ContractLocation, contractPlaceOf, readContract } from '../contract/load/load-contract.js';
import { createApiRouter } from '../http/create-app.js';
import { rateLimitFamilies } from '../http/limits/rate-limit-headers.js';
import { Connection, createRequestIds, findContext, RequestContext, type RequestIds } from '../http/request-context.js';
import { splitTarget } from '../http/wire/request-target.js';
import { memberOf } from '../json/object-members.js';
import type { Clock } from '../lib/clock.js';
import { reportTo, stderrLogger } from '../observability/log.js';
import type { AnyHooks } from '../types/hooks.js';
import type { AnyHandlers, Caller } from '../types/types.js';
import { composeApi, schemeHandlersOf } from './compose-api.js';
import { type ApiBehaviour, behaviourOptions, type SecurityHandler } from './definition.js';
import { type OptionNames, requireExpress5, requireOptions } from './start-checks.js';

/** The options of `createRouter`, for any contract. */
export interface RouterDefinition extends ApiBehaviour {
  /**
   * The OpenAPI document: a file URL, a path relative to the working directory, or the document itself, whose
   * references to files are relative to the working directory.
   */
  readonly contract: ContractLocation;
  /** A handler for each security scheme that operations require. */
  readonly security?: Readonly<Record<string, SecurityHandler<never, Caller, never> | undefined>>;
  /** One handler for each operation that declares a successful response. */
  readonly handlers: AnyHandlers;
  /** What runs before and after the handlers. */
  readonly before?: AnyHooks['before'] | undefined;
  readonly after?: AnyHooks['after'] | undefined;
  /**
   * `'next'` passes each request that no handler serves on to the next route of the application, unchanged: it is
   * neither authenticated nor counted. Default: such a request for a path of the contract is a 404, 405 or 501.
   */
  readonly unhandled?: 'next' | undefined;
  /**
   * The URL of the API for its clients, for links: that of the mount path. Default: links are paths with the
   * prefix of the contract.
   */
  readonly publicBaseUrl?: string;
  /** Receives internal errors, and the lines of handlers. Default: JSON lines on stderr. */
  readonly logger?: Logger;
  /** For tests. Default: the system clock. */
  readonly clock?: Clock;
}

const optionNames: OptionNames<RouterDefinition> = {
  ...behaviourOptions,
  ...{ contract: true, handlers: true, security: false, unhandled: false, before: false, after: false },
  ...{ publicBaseUrl: false, logger: false, clock: false },
};

/**
 * Creates the Express middleware of a contract, as the `createRouter` of the package describes.
 *
 * @throws ContractError if the contract cannot be read, is invalid, or contains something that is not supported.
 * @throws StartError if an operation or a security scheme has no handler, or an option is unknown.
 */
export async function createRouter(definition: RouterDefinition): Promise<RequestHandler> {
  requireExpress5(express);
  requireOptions('createRouter', definition, optionNames);
  const { contract: location, security, handlers, unhandled, publicBaseUrl, clock = Date.now } = definition;
  const { logger = stderrLogger() } = definition;
  const contract = await readContract({ ...definition, ...contractPlaceOf(location, definition.overlay) });
  const isHandled = (id: string) => memberOf(handlers, id) !== undefined;
  const links = new Links(contract, clock, publicBaseUrl?.replace(/\/$/, ''));
  links.ownBaseUrl = contract.prefix;
  const redactor = new KeyRedactor([]);
  const api = await composeApi(
    { contract, clock, redactor, report: reportTo(logger), errors: definition.errors },
    {
      security: schemeHandlersOf(contract, security),
      rejectInvalidCredentials: definition.rejectInvalidCredentials,
      validateResponses: definition.validateResponses,
      ...{ links, handlers, before: definition.before, after: definition.after, canPassOn: true },
      ...(unhandled === 'next' && { servedOperations: contract.operations.filter(({ id }) => isHandled(id)) }),
    },
    () => undefined,
  );
  const requestIds = createRequestIds(contract, redactor);
  const { router } = api.api;
  const isServed = unhandled === 'next' ? hasHandler(router, isHandled) : isPathOf(router);
  return createApiRouter(api, {}, provideContext(router, isServed, contract, requestIds, logger));
}

/** Whether the router serves a request; the others leave it. @param path that of the contract, below a mount path. */
type IsServed = (request: Request, path: string) => boolean;

/** Serves the paths below the prefixes of the contract. */
function isPathOf(router: CompiledRouter): IsServed {
  // Without a prefix and a mount path, the paths of others are unknown paths of this contract.
  return ({ method, baseUrl }, path) =>
    router.prefixes.some((each) =>
      each === '' && baseUrl === ''
        ? router.match(method, path).kind !== 'not found'
        : path === each || path.startsWith(`${each}/`),
    );
}

/** Serves the operations that have a handler. */
function hasHandler(router: CompiledRouter, isHandled: (id: string) => boolean): IsServed {
  return ({ method }, path) => {
    const match = router.match(method, path);
    return match.kind === 'operation' && isHandled(match.operation.operationId);
  };
}

/**
 * Creates the context of a request that this library's server has not received, or that belongs to another contract.
 * Requests that this router does not serve leave it.
 */
function provideContext(
  router: CompiledRouter,
  isServed: IsServed,
  { prefix, deployment }: Contract,
  requestIds: RequestIds,
  logger: Logger,
): RequestHandler {
  const rateLimitHeaders = rateLimitFamilies[deployment.rateLimitHeaders ?? 'both'];
  /** The mount path takes the place of the prefix of the contract. Operations with another prefix keep it. */
  const pathBelow = (method: string, path: string) => {
    const usual = `${prefix}${path}`;
    const isOther =
      router.prefixes.some((each) => each !== prefix) &&
      router.match(method, usual).kind === 'not found' &&
      router.match(method, path).kind !== 'not found';
    return isOther ? path : usual;
  };
  const pathOf = (request: Request) => {
    // Express removes the mount path from the URL. It matches paths as they were sent, but those of an absolute form as
    // Node parses them, with `|` encoded. A router that reads them in another way would serve `/%61dmin` although the
    // application guards `/admin`.
    const { path, baseUrl } = request;
    const sent = baseUrl === '' ? path : pathBelow(request.method, path);
    return router.spell === undefined || isStrict(request) ? sent : router.spell(sent);
  };
  return (request, response, next) => {
    const target = { path: pathOf(request), query: splitTarget(request.url).query };
    if (!isServed(request, target.path)) {
      next('router');
      return;
    }
    const outer = findContext(request);
    const id = outer?.id ?? requestIds(request.headers['x-request-id']);
    // The other requests on a connection of another server are unknown.
    const context = new RequestContext(request, response, id, outer?.connection ?? new Connection(), logger, target);
    context.rateLimitHeaders = rateLimitHeaders;
    const { connection } = context;
    if (connection.latest === outer) connection.latest = context;
    if (outer !== undefined) {
      context.closesConnection = outer.closesConnection;
      context.awaitsContinue = outer.awaitsContinue;
    }
    next();
  };
}

/** Whether guards of the application do not match other spellings of a path. */
function isStrict({ app }: Request): boolean {
  return app.enabled('case sensitive routing') || app.enabled('strict routing');
}
