import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import { routeNotFound } from './api-error-handlers.js';
import { trustProxies } from './client-address.js';
import type { ErrorReplies } from './errors.js';
import { type Exchange, exchangeOf } from './exchange.js';
import type { FixedPaths } from './fixed-paths.js';
import type { Pipeline } from './pipeline.js';
import { writeReply } from './replies.js';

export interface AppParts {
  /** Below it lies the API. */
  readonly basePath: string;
  /** The methods of all its paths, as `Allow` lists them: the answer to `OPTIONS *`. */
  readonly methods: string;
  /** Answers what is below it. */
  readonly pipeline: Pick<Pipeline, 'serve'>;
  readonly errors: ErrorReplies;
  /** Express's "trust proxy": how many proxies stand before the service, or their addresses; `undefined` for none. */
  readonly trustProxy: number | readonly string[] | undefined;
  /** Beside the API. */
  readonly fixedPaths: FixedPaths;
}

/** The express application: the API below its path prefix, documents and probes beside it, and an Error body for everything else. */
export function createApp({ basePath, methods, pipeline, errors, trustProxy, fixedPaths }: AppParts): Express {
  const app = express();
  app.disable('x-powered-by');
  if (trustProxy !== undefined) trustProxies(app, trustProxy);

  const isApi = (path: string) => path === basePath || path.startsWith(`${basePath}/`);
  app.use((request: Request) => {
    const exchange = exchangeOf(request);
    if (isApi(exchange.path)) void pipeline.serve(exchange);
    else if (fixedPaths.takes(exchange)) return;
    else if (asksForService(exchange)) writeReply(exchange, { status: 204, headers: { Allow: methods } });
    else writeReply(exchange, errors.from(routeNotFound()));
  });
  // Express takes an error handler by its four parameters.
  app.use((error: unknown, request: Request, _response: Response, _next: NextFunction) => {
    const exchange = exchangeOf(request);
    writeReply(exchange, errors.from(error, exchange.id));
  });
  return app;
}

/** `OPTIONS *` (RFC 9110, section 9.3.7). */
function asksForService({ request, path }: Exchange): boolean {
  return request.method === 'OPTIONS' && path === '*';
}
