import type { Contract } from '@contract-server/core/contract/contract.js';
import { replacedPathsOf } from '@contract-server/core/contract/own-paths.js';
import express, { type Express, type RequestHandler } from 'express';
import { allowOf, type CompiledRouter } from '../backend/compiled-router.js';
import { createApiRouter, type RouterLimits, type ServedApi } from '../http/create-api-router.js';
import { errorHandler } from '../http/errors/error-responses.js';
import { notFound } from '../http/errors/not-found.js';
import { peekLimits } from '../http/limits/plan-quota.js';
import { correctPath } from '../http/middleware/correct-path.js';
import { requestIdHeader, requireContext } from '../http/request-context.js';
import type { Readiness } from '../observability/readiness.js';
import { healthChecks } from './monitoring.js';

export interface AppOptions extends ServedApi, RouterLimits {
  /** The routes of the API reference, if the service has it. */
  readonly documents: readonly RequestHandler[];
  readonly readiness: Readiness;
  /** Express's "trust proxy": the number of proxies in front of the service, or their addresses. */
  readonly trustProxy: number | readonly string[] | undefined;
  /** Express middleware of the service, ahead of everything else. It must not read bodies of the API. */
  readonly middleware?: readonly RequestHandler[] | undefined;
  /** Express routers and routes of the service, for paths that are neither those of the API nor of documents. */
  readonly routes?: readonly RequestHandler[] | undefined;
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
