import type { ServerResponse } from 'node:http';
import type { Contract } from '@contract-server/core/contract/contract.js';
import { Links } from '@contract-server/core/contract/links.js';
import { memberOf } from '@contract-server/core/json/object-members.js';
import type { Clock } from '@contract-server/core/lib/clock.js';
import { pathText } from '@contract-server/core/lib/header-text.js';
import {
  anyFunction,
  anyObject,
  type OptionRules,
  oneOf,
  recordOf,
  required,
  requireOptions,
  secret,
} from '@contract-server/core/lib/option-rules.js';
import { type ContractLocation, contractPlaceOf, readContract } from '@contract-server/core/load/load-contract.js';
import type { AnyHooks } from '@contract-server/core/types/hooks.js';
import type { AnyHandlers, Caller } from '@contract-server/core/types/types.js';
import express, { type Request, type RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { CompiledRouter } from '../backend/compiled-router.js';
import { createApiRouter } from '../http/create-api-router.js';
import { rateLimitFamilies } from '../http/limits/rate-limit-headers.js';
import { Connection, createRequestIds, findContext, RequestContext, type RequestIds } from '../http/request-context.js';
import { originFormOf, type RequestTarget, splitTarget } from '../http/wire/request-target.js';
import { sendResponse } from '../http/wire/send-response.js';
import { parseBaseUrl } from '../lib/setting-parsers.js';
import { KeyRedactor } from '../log/key-redactor.js';
import { reportTo, stderrLogger } from '../log/log.js';
import type { ApiBehaviour, SecurityHandler } from './api-behaviour.js';
import { composeApi, schemeHandlersOf } from './compose-api.js';
import { compileMatchServed, type MatchServed } from './match-served.js';
import { baseUrl, behaviourRules, clockRule, contractRule, loggerRule } from './option-table.js';
import { requireExpress5 } from './start-checks.js';

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

const routerRules: OptionRules<RouterDefinition> = {
  ...behaviourRules,
  contract: required(contractRule),
  security: secret(recordOf(secret(anyFunction))),
  handlers: required(anyObject),
  before: anyObject,
  after: anyObject,
  unhandled: oneOf('next'),
  publicBaseUrl: baseUrl,
  logger: loggerRule,
  clock: clockRule,
};

/**
 * Creates the Express middleware of a contract, as the `createRouter` of the package describes.
 *
 * @throws ContractError if the contract cannot be read, is invalid, or contains something that is not supported.
 * @throws StartError if an operation or a security scheme has no handler, or an option is unknown or wrong.
 */
export async function createRouter(definition: RouterDefinition): Promise<RequestHandler> {
  requireExpress5(express);
  requireOptions('createRouter', definition, routerRules);
  const { contract: location, security, handlers, unhandled, publicBaseUrl, clock = Date.now } = definition;
  const { logger = stderrLogger() } = definition;
  const contract = await readContract({ ...definition, ...contractPlaceOf(location, definition.overlay) });
  const isHandled = (id: string) => memberOf(handlers, id) !== undefined;
  const links = new Links(contract, clock, publicBaseUrl && parseBaseUrl(publicBaseUrl, ''));
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
  const matchServed = compileMatchServed(router, handlers, unhandled);
  return createApiRouter(api, {}, provideContext(router, matchServed, contract, requestIds, logger));
}

/**
 * Creates the context of a request that this library's server has not received, or that belongs to another contract.
 * Requests that this router does not serve leave it. One whose path differs only in what `trailingSlashes` and
 * `caseSensitive` ignore is redirected, because guards of the application, ahead of the router, may not match it.
 */
function provideContext(
  router: CompiledRouter,
  matchServed: MatchServed,
  { prefix, deployment }: Contract,
  requestIds: RequestIds,
  logger: Logger,
): RequestHandler {
  const rateLimitHeaders = rateLimitFamilies[deployment.rateLimitHeaders ?? 'both'];
  const { spell = (path: string) => path } = router;
  /**
   * The prefixes that the mount path may replace, the most likely one first: that of the contract and, for operations
   * with another prefix, none.
   */
  const replacedPrefixesOf = ({ method, path, baseUrl }: Request): readonly [string, ...string[]] => {
    if (baseUrl === '') return [''];
    if (router.prefixes.every((each) => each === prefix)) return [prefix];
    const paramsBelow = (each: string) => {
      const match = router.match(method, spell(`${each}${path}`));
      return match.kind === 'operation' ? Object.keys(match.params).length : Infinity;
    };
    return paramsBelow('') < paramsBelow(prefix) ? ['', prefix] : [prefix, ''];
  };
  const createContext = (request: Request, response: ServerResponse, target: RequestTarget) => {
    const outer = findContext(request);
    const id = outer?.id ?? requestIds(request.headers['x-request-id']);
    // The other requests on a connection of another server are unknown.
    const connection = outer?.connection ?? new Connection();
    const context = new RequestContext(request, response, id, connection, logger, target);
    if (connection.latest === outer) connection.latest = context;
    outer?.nest(context);
    return context;
  };
  return (request, response, next) => {
    // Express removes the mount path from the URL. It matches paths as they were sent, but those of an absolute form as
    // Node parses them, with `|` encoded. A router that reads them in another way would serve `/%61dmin` although the
    // application guards `/admin`.
    const [replacedPrefix, ...otherPrefixes] = replacedPrefixesOf(request);
    const path = `${replacedPrefix}${request.path}`;
    const spelled = spell(path);
    const others = otherPrefixes.map((each) => `${each}${request.path}`);
    const match = matchServed(request, spelled, others);
    if (match === undefined) {
      next('router');
      return;
    }
    const { query } = splitTarget(request.url);
    const context = createContext(request, response, { path, query });
    context.match = match;
    context.rateLimitHeaders = rateLimitHeaders;
    if (spelled === path) next();
    else redirect(response, request.path, originFormOf({ path: spelled.slice(replacedPrefix.length), query }));
  };
}

/**
 * Redirects to another path of the same router, with the method and the body (RFC 9110, section 15.4.9). `Location` is
 * a relative reference, which is right below any mount path, and behind a proxy that changes the path.
 */
function redirect(response: ServerResponse, path: string, target: string): void {
  const up = '../'.repeat(path.split('/').length - 2) || './';
  const reference = `${up}${target.slice(1)}`.split('?').map(pathText).join('?');
  sendResponse(response, { status: 308, headers: { Location: reference } });
}
