import type { Server } from 'node:http';
import type { RequestHandler } from 'express';
import type { Config } from '../config.js';
import { createApp } from '../http/create-app.js';
import { createDocuments } from '../http/docs/documents.js';
import type { ErrorResponses } from '../http/error-responses.js';
import { healthChecks } from '../http/health/health-checks.js';
import { isTrustedProxy } from '../http/middleware/client-address.js';
import { Cors } from '../http/middleware/cors.js';
import type { RateLimiter } from '../http/middleware/rate-limiter.js';
import { ClientErrors, type ClientErrorsOptions } from '../http/protocol/client-errors.js';
import { Connections } from '../http/protocol/connections.js';
import { createHttpServer } from '../http/protocol/create-server.js';
import { FairScheduler } from '../http/protocol/fair-scheduler.js';
import { ProtocolChecks } from '../http/protocol/protocol-checks.js';
import { RequestListener, type RequestListenerOptions } from '../http/protocol/request-listener.js';
import type { RequestIds } from '../http/request-ids.js';
import type { Readiness } from '../observability/readiness.js';
import { allowOf } from '../openapi/compiled-router.js';
import type { Api } from '../openapi/create-api.js';
import { basePathOf } from '../openapi/document.js';
import type { ContractSource } from '../openapi/load-contract.js';

/** What a server has of the service or of a mock, and who is told of what becomes of its requests. */
export interface ServerOptions {
  readonly config: Pick<Config, 'trustProxy' | 'corsOrigins' | 'connectionsMax' | 'connectionsPerAddressMax'>;
  readonly contract: ContractSource;
  readonly api: Api;
  /** Serves what is below the path prefix. */
  readonly router: RequestHandler;
  readonly readiness: Readiness;
  readonly errors: ErrorResponses;
  readonly requestIds: RequestIds;
  /** Counts what is no proper HTTP. */
  readonly limiter: RateLimiter;
  readonly onEnd: RequestListenerOptions['onEnd'];
  readonly onClientError: ClientErrorsOptions['onFault'];
}

export interface ComposedServer {
  readonly server: Server;
  readonly requestListener: RequestListener;
  readonly connections: Connections;
}

/**
 * Puts everything between the network and the API together: the same for the service and for its mock. It does not
 * listen yet.
 */
export function createServer(parts: ServerOptions): ComposedServer {
  const {
    config,
    contract,
    api,
    router,
    readiness,
    errors,
    requestIds,
    limiter,
    onEnd,
    onClientError: onFault,
  } = parts;
  const { trustProxy, corsOrigins, connectionsMax, connectionsPerAddressMax } = config;
  const { document } = contract;
  const requestLimits = document['x-request-limits'];
  const methods = allowOf(api.getOperations().map(({ method }) => method.toUpperCase()));
  const app = createApp({
    basePath: basePathOf(document),
    api: router,
    methods,
    errors,
    trustProxy,
    healthChecks: healthChecks(readiness),
    documents: createDocuments(contract),
    documentsPerMinute: document['x-document-rate-limit'].requestsPerMinute,
  });
  const isProxy = (address: string) => isTrustedProxy(app, address);
  const scheduler = new FairScheduler({ connectionsMax, connectionsPerAddressMax, isProxy });
  const connections = new Connections(scheduler);
  const clientErrors = new ClientErrors({ errors, limiter, requestIds, connections, requestLimits, onFault });
  const cors = corsOrigins.length === 0 ? undefined : new Cors(corsOrigins, document);
  const requestListener = new RequestListener({
    app,
    clientErrors,
    requestIds,
    connections,
    protocolChecks: new ProtocolChecks(requestLimits),
    cors,
    onEnd,
  });
  const server = createHttpServer({
    app,
    requestListener,
    connections,
    clientErrors,
    connectionsMax,
    headerLinesMax: requestLimits.headerLinesMax,
  });
  return { server, requestListener, connections };
}
