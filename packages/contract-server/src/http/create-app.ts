import express, { type Express, type RequestHandler } from 'express';
import { allowOf, type CompiledRouter } from '../backend/compiled-router.js';
import type { Api } from '../backend/create-api.js';
import type { Contract } from '../contract/contract.js';
import type { Links } from '../contract/links.js';
import type { ServedContract } from '../contract/load/load-contract.js';
import { replacedPathsOf } from '../contract/own-paths.js';
import type { Clock } from '../lib/clock.js';
import type { Readiness } from '../observability/readiness.js';
import type { QuotaStore } from '../rate-limits/quota-store.js';
import { requestBody } from './bodies/request-body.js';
import { type ErrorResponses, errorHandler } from './errors/error-responses.js';
import { notFound } from './errors/not-found.js';
import type { AddressLimit, OnDecision } from './limits/address-limit.js';
import { ConcurrencyLimit } from './limits/concurrency-limit.js';
import { operationLimits } from './limits/operation-limits.js';
import { peekLimits, planQuota } from './limits/plan-quota.js';
import { correctPath } from './middleware/correct-path.js';
import { preflight } from './middleware/cors.js';
import { findOperation } from './middleware/find-operation.js';
import { inSequence } from './middleware/in-sequence.js';
import { serveOperation } from './middleware/serve-operation.js';
import { healthChecks } from './monitoring.js';
import { requestIdHeader, requireContext } from './request-context.js';
import { authenticate, authorize } from './security/authenticate.js';
import type { SecuritySchemes } from './security/security.js';

/** What the API of a contract is served with. */
export interface ServedApi {
  readonly contract: ServedContract;
  readonly api: Api;
  readonly links: Links;
  readonly schemes: SecuritySchemes;
  readonly quotas: Pick<QuotaStore, 'consume' | 'peek'>;
  /** Called with each decision about a caller with a quota. */
  readonly onDecision: OnDecision;
  readonly addressLimit: AddressLimit;
  readonly errors: ErrorResponses;
  readonly clock: Clock;
  /** Whether invalid credentials are a 401 where an operation needs none. */
  readonly rejectInvalidCredentials?: boolean | undefined;
  /** Whether the server has the routes of the API reference, to which responses then refer. */
  readonly hasReference: boolean;
}

export interface AppOptions extends ServedApi {
  /** The routes of the API reference, if the service has it. */
  readonly documents: readonly RequestHandler[];
  readonly readiness: Readiness;
  /** Maximum number of requests that are processed at the same time. */
  readonly concurrentRequestsMax: number;
  /** Express's "trust proxy": the number of proxies in front of the service, or their addresses. */
  readonly trustProxy: number | readonly string[] | undefined;
  /** Origins whose scripts may read responses. */
  readonly corsOrigins: readonly string[];
  /** Express middleware of the service, ahead of everything else. It must not read bodies of the API. */
  readonly middleware?: readonly RequestHandler[] | undefined;
  /** Express routers and routes of the service, for paths that are neither those of the API nor of documents. */
  readonly routes?: readonly RequestHandler[] | undefined;
}

/**
 * The steps of the API, as one handler for Express. Each comment names the status codes that a step can return. An
 * unavailable store is a 503 at any step.
 *
 * @param enter creates the request context, in an application whose server has not; first in the list.
 */
export function createApiRouter(
  options: ServedApi,
  { concurrentRequestsMax = Infinity, corsOrigins = [] }: Partial<AppOptions> = {},
  ...enter: readonly RequestHandler[]
): RequestHandler {
  const { contract, api, links, schemes, quotas, addressLimit, errors, clock, hasReference } = options;
  const concurrency = new ConcurrencyLimit(concurrentRequestsMax);
  const steps = [
    ...enter,
    findOperation(api.router, links, hasReference), // finds the operation, with the headers that announce its removal
    preflight(corsOrigins, addressLimit), // 204 for a CORS preflight request, which is not counted
    authenticate(schemes, contract), // finds the caller, such as the owner of an API key, and its quota; 503
    concurrency.middleware, // 503; after `authenticate`, so that its headers are those of the caller's quota
    addressLimit.middleware, // 429, for requests without a quota
    planQuota(quotas, options.onDecision), // 429, for requests with one
    authorize(schemes, clock, options.rejectInvalidCredentials), // 401, 403, 410
    ...operationLimits(api.router.getOperations().map(({ declared }) => declared)), // 429, by `x-rate-limit`
    requestBody(concurrency), // 415, 413, 400, 503
    // 404, 405, 204 for OPTIONS, 400, 501; or the handler: 200, 201, 400, 404, 409, 422
    serveOperation(api, errors.report),
  ];
  const errorHandlers = [
    peekLimits(quotas, addressLimit), // rate-limit headers for errors that were raised before the request was counted
    // Sends these errors, or 500. Here too, because Express leaves a router with an error only in the next event-loop
    // tick.
    errorHandler(errors),
  ];
  return inSequence(steps, errorHandlers);
}

/**
 * The Express application of a service: the API below its path prefix, and documents and health checks outside of it.
 * The server has created the request context before the first step.
 */
export function createApp(options: AppOptions): Express {
  const { contract, api, quotas, addressLimit, readiness, errors, documents } = options;
  const apiRouter = createApiRouter(options, options);
  const methods = allowOf(api.getOperations().map(({ method }) => method.toUpperCase()));

  const { middleware = [], routes = [], trustProxy = false } = options;
  const app = createBase(api.router, trustProxy);
  const prefixes = api.router.prefixes.filter((prefix) => prefix !== '').map(escapePath);
  const hasOtherPaths = api.router.prefixes.includes('');
  if (middleware.length > 0) app.use(standardHeaders, ...middleware);
  if (prefixes.length > 0) app.use(prefixes, apiRouter);
  app.use(
    ...replacedRoutes(contract, apiRouter), // those of the API that take the place of the ones below
    healthChecks(readiness), // /healthz, /readyz: 200, 503; 204 for OPTIONS, 405
    ...documents, // /openapi.yaml, /docs, …: 200, 302, 304, 429; 204, 405
  );
  if (routes.length > 0) app.use(standardHeaders, prepareRoute, ...routes);
  // Without a path prefix, the API has every other path.
  if (hasOtherPaths) app.use(apiRouter);
  if (middleware.length > 0) app.use(hasOtherPaths ? '/' : prefixes, peekLimits(quotas, addressLimit)); // for `middleware`
  app.use(
    notFound(methods, options.hasReference), // 404; 204 for OPTIONS *
    // Sends these errors, and those of `middleware` and `routes` with their status, or 500.
    errorHandler(errors, api.router),
  );
  return app;
}

function createBase(router: CompiledRouter, trustProxy: NonNullable<AppOptions['trustProxy']> | false): Express {
  const app = express();
  app.disable('x-powered-by').enable('case sensitive routing').set('trust proxy', trustProxy);
  const corrections = correctPath(router);
  return corrections.length === 0 ? app : app.use(...corrections);
}

/** Express reads these characters of a path as syntax. */
function escapePath(path: string): string {
  return path.replace(/[{}()[\]+?!*:\\]/g, '\\$&');
}

/** Passes the requests for paths that the contract declares, in place of those of the server, to the API. */
function replacedRoutes(contract: Contract, apiRouter: RequestHandler): RequestHandler[] {
  const paths = replacedPathsOf(contract.operations);
  if (paths.size === 0) return [];
  return [
    (request, response, next) => {
      if (paths.has(requireContext(request).path)) apiRouter(request, response, next);
      else next();
    },
  ];
}

/** Sets the headers of every response, for middleware and routes of the service, whose responses Express sends. */
const standardHeaders: RequestHandler = (request, response, next) => {
  response.set({ [requestIdHeader]: requireContext(request).id, 'X-Content-Type-Options': 'nosniff' });
  next();
};

/** Prepares a request for routes of the service: requests the body from a client that waits for 100 Continue. */
const prepareRoute: RequestHandler = (request, response, next) => {
  const context = requireContext(request);
  context.isRoute = true;
  if (context.awaitsContinue) response.writeContinue();
  next();
};
