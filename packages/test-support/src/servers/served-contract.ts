import { createServer, type Server } from 'node:http';
import type { ErrorResponseOptions } from 'contract-server/http/errors/error-responses.js';
import { createRouter } from 'contract-server/router/create-router.js';
import express, { type RequestHandler } from 'express';
import { pino } from 'pino';
import { place } from '../contract/contract-errors.js';
import { LogLines } from '../log-lines.js';
import { listen } from './listen.js';

interface ServedContract {
  readonly server: Server;
  readonly log: LogLines;
}

type UntypedHandler = (request: never, context: never) => unknown;

interface Options {
  readonly handlers: Readonly<Record<string, UntypedHandler>>;
  /** Runs ahead of the router. */
  readonly middleware?: readonly RequestHandler[];
  readonly errors?: ErrorResponseOptions;
  readonly validateResponses?: boolean;
}

/** Serves a contract with the router in an Express application, on a free port until the end of the test or suite. */
export async function serveContract(text: string, options: Options): Promise<ServedContract> {
  const { handlers, middleware = [], ...rest } = options;
  const log = new LogLines();
  const { url } = place({ 'contract.yaml': text });
  const adapted = Object.entries(handlers).map(
    ([id, handle]) => [id, async (...args: [never, never]) => await handle(...args)] as const,
  );
  const router = await createRouter({
    ...{ contract: url, handlers: Object.fromEntries(adapted), logger: pino(log) },
    ...rest,
  });
  const app = express().disable('x-powered-by');
  const server = createServer(app.use(...middleware, router));
  await listen(server);
  return { server, log };
}
