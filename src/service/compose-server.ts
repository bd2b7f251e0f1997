import type { Server } from 'node:http';
import type { Config } from '../config.js';
import { type AppOptions, createApp } from '../http/create-app.js';
import { isTrustedProxy } from '../http/middleware/client-address.js';
import { cors } from '../http/middleware/cors.js';
import { ClientErrors, type ClientErrorsOptions } from '../http/protocol/client-errors.js';
import { Connections } from '../http/protocol/connections.js';
import { createHttpServer } from '../http/protocol/create-http-server.js';
import { FairScheduler } from '../http/protocol/fair-scheduler.js';
import { ProtocolChecks } from '../http/protocol/protocol-checks.js';
import { RequestListener, type RequestListenerOptions } from '../http/protocol/request-listener.js';
import type { RequestIds } from '../http/request-ids.js';

export interface ServerOptions extends Omit<AppOptions, 'requestsMax' | 'trustProxy'> {
  readonly config: Config;
  readonly requestIds: RequestIds;
  /** Wraps the request listener of the application. */
  readonly wrapApp?: ((app: RequestListenerOptions['app']) => RequestListenerOptions['app']) | undefined;
  readonly onEnd: RequestListenerOptions['onEnd'];
  readonly onClientError: ClientErrorsOptions['onClientError'];
}

export interface ComposedServer {
  readonly server: Server;
  readonly requestListener: RequestListener;
  readonly connections: Connections;
}

/** Creates the Express application and its HTTP server, for the service and for the mock. It does not listen yet. */
export function composeServer(options: ServerOptions): ComposedServer {
  const { config, contract, errors, requestIds, rateLimiter, wrapApp, onEnd, onClientError } = options;
  const { connectionsMax, connectionsPerAddressMax, corsOrigins, requestsMax, trustProxy } = config;
  const { document } = contract;
  const requestLimits = document['x-request-limits'];
  const app = createApp({ ...options, requestsMax, trustProxy });
  const isProxy = (address: string) => isTrustedProxy(app, address);
  const connections = new Connections(new FairScheduler({ connectionsMax, connectionsPerAddressMax, isProxy }));
  const clientErrors = new ClientErrors({ errors, rateLimiter, requestIds, connections, requestLimits, onClientError });
  const requestListener = new RequestListener({
    app: wrapApp?.(app) ?? app,
    requestIds,
    connections,
    clientErrors,
    protocolChecks: new ProtocolChecks(requestLimits),
    cors: corsOrigins.length === 0 ? undefined : cors(corsOrigins, document),
    onEnd,
  });
  const { headerLinesMax } = requestLimits;
  const server = createHttpServer({ app, requestListener, connections, clientErrors, connectionsMax, headerLinesMax });
  return { server, requestListener, connections };
}
