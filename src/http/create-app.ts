import express, { type Express, type RequestHandler } from 'express';
import type { Authenticator } from '../api-keys/authenticator.js';
import type { Clock } from '../lib/clock.js';
import type { Api } from '../openapi/create-api.js';
import type { ErrorResponses } from './error-responses.js';
import { authenticate } from './middleware/authenticate.js';
import { trustProxies } from './middleware/client-address.js';
import type { ConcurrencyLimit } from './middleware/concurrency-limit.js';
import { preflight } from './middleware/cors.js';
import type { DeprecationHeaders } from './middleware/deprecation-headers.js';
import { documentLimit } from './middleware/document-limit.js';
import { errorHandler, readLimits } from './middleware/error-handler.js';
import { jsonBody } from './middleware/json-body.js';
import { matchOperation } from './middleware/match-operation.js';
import { notFound } from './middleware/not-found.js';
import { rateLimit } from './middleware/rate-limit.js';
import type { RateLimiter } from './middleware/rate-limiter.js';
import { serveOperation } from './middleware/serve-operation.js';
import { createRoutes, type Resources } from './routes.js';

export interface ApiRouterParts {
  readonly api: Api;
  readonly authenticator: Pick<Authenticator, 'identify'>;
  readonly limiter: RateLimiter;
  readonly concurrency: ConcurrencyLimit;
  readonly deprecations: DeprecationHeaders;
  readonly errors: ErrorResponses;
  readonly clock: Clock;
}

/** The middleware of the API, with the status that each can return. */
export function createApiRouter(parts: ApiRouterParts): RequestHandler {
  const { api, authenticator, limiter, concurrency, deprecations, errors, clock } = parts;
  return express
    .Router()
    .use(
      matchOperation(api.router, (match) => deprecations.of(match)), // Deprecation and Sunset of every response
      preflight(limiter), // 204 for browsers, not counted
      authenticate(authenticator, limiter), // whose request it is: an API key or the client address
      concurrency.middleware, // 503
      rateLimit(limiter), // 429
      jsonBody(concurrency, clock), // 415, 413, 400
      serveOperation(api), // 404, 405, 401, 410, 400, 501, or the handler
    )
    .use(readLimits(limiter), errorHandler(errors));
}

export interface AppOptions {
  /** The path prefix of the API. */
  readonly basePath: string;
  readonly api: RequestHandler;
  /** The methods of all operations, in the form of `Allow`. */
  readonly methods: string;
  readonly errors: ErrorResponses;
  /**
   * Express's "trust proxy": how many proxies are in front of the service, or their addresses; `undefined` for none.
   */
  readonly trustProxy: number | readonly string[] | undefined;
  readonly healthChecks: Resources;
  readonly documents: Resources;
  /** How many documents a client address may download in a minute. */
  readonly documentsPerMinute: number;
}

/**
 * The Express application: the API below its path prefix, documents and health checks beside it, and an Error body for
 * everything else.
 */
export function createApp(parts: AppOptions): Express {
  const { basePath, api, methods, errors, trustProxy, healthChecks, documents, documentsPerMinute } = parts;
  const app = express();
  app.disable('x-powered-by').enable('case sensitive routing');
  if (trustProxy !== undefined) trustProxies(app, trustProxy);
  app.use(basePath, api);
  app.use(createRoutes(healthChecks), createRoutes(documents, documentLimit(documentsPerMinute)));
  app.use(notFound(methods), errorHandler(errors));
  return app;
}
