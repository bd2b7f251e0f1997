import type { Server } from 'node:http';
import type { RequestHandler } from 'express';
import type { Config } from './config.js';
import { allowOf } from './contract/compiled-router.js';
import type { ContractSource } from './contract/contract-source.js';
import type { Api } from './contract/create-api.js';
import { basePathOf } from './contract/document.js';
import { isTrustedProxy } from './http/client-address.js';
import { Connections } from './http/connections.js';
import { createApp } from './http/create-app.js';
import { createDocuments } from './http/documents.js';
import type { ErrorReplies } from './http/errors.js';
import { FairScheduler } from './http/fair-scheduler.js';
import { FrontDoor, type FrontDoorParts } from './http/front-door.js';
import { healthChecks } from './http/health-checks.js';
import { Cors } from './http/middleware/cors.js';
import type { RateLimiter } from './http/rate-limiter.js';
import type { RequestIds } from './http/request-ids.js';
import { createHttpServer } from './http/server.js';
import { WireFaults, type WireFaultsParts } from './http/wire-faults.js';
import { WireRules } from './http/wire-rules.js';
import type { Readiness } from './observe/readiness.js';

/** What a server has of the service or of a mock, and who is told of what becomes of its requests. */
export interface ServerParts {
  readonly config: Pick<Config, 'trustProxy' | 'corsOrigins' | 'connectionsMax' | 'connectionsPerAddressMax'>;
  readonly contract: ContractSource;
  readonly api: Api;
  /** Serves what is below the path prefix. */
  readonly router: RequestHandler;
  readonly readiness: Readiness;
  readonly errors: ErrorReplies;
  readonly requestIds: RequestIds;
  /** Counts what is no proper HTTP. */
  readonly limiter: RateLimiter;
  readonly onEnd: FrontDoorParts['onEnd'];
  readonly onFault: WireFaultsParts['onFault'];
}

export interface ComposedServer {
  readonly server: Server;
  readonly frontDoor: FrontDoor;
  readonly connections: Connections;
}

/**
 * Puts everything between the network and the API together: the same for the service and for its mock. It does not
 * listen yet.
 */
export function composeServer(parts: ServerParts): ComposedServer {
  const { config, contract, api, router, readiness, errors, requestIds, limiter, onEnd, onFault } = parts;
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
  const connections: Connections = new Connections((exchange) => {
    if (exchange.fault === undefined) app(exchange.request, exchange.response);
    else void wireFaults.refuse(exchange, exchange.fault);
  }, scheduler);
  const wireFaults = new WireFaults({ errors, limiter, requestIds, connections, requestLimits, onFault });
  const cors = corsOrigins.length === 0 ? undefined : new Cors(corsOrigins, document);
  const frontDoor = new FrontDoor({ requestIds, connections, wireRules: new WireRules(requestLimits), cors, onEnd });
  const server = createHttpServer({
    app,
    frontDoor,
    connections,
    wireFaults,
    connectionsMax,
    headerLinesMax: requestLimits.headerLinesMax,
  });
  return { server, frontDoor, connections };
}
