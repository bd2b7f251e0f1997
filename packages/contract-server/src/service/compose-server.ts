import { metricsPath, ownPaths } from '@contract-server/core/contract/own-paths.js';
import type { RequestHandler } from 'express';
import type { Config } from '../config.js';
import { rateLimitFamilies } from '../http/limits/rate-limit-headers.js';
import { cors } from '../http/middleware/cors.js';
import { createRequestIds } from '../http/request-context.js';
import { createHttpServer, listen } from '../http/wire/server.js';
import type { ServiceLog } from '../log/log.js';
import type { Metrics } from '../observability/metrics.js';
import { Readiness } from '../observability/readiness.js';
import { type ApiDependencies, type ApiParts, composeApi } from '../router/compose-api.js';
import { createApp } from './create-app.js';
import type { ReferencePart } from './definition.js';
import { createMetricsServer } from './monitoring.js';
import { createServerEvents } from './server-events.js';

/** The dependencies of a server besides its configuration. */
export interface Dependencies extends ApiDependencies {
  /** Logs requests and events, if given. */
  readonly log?: ServiceLog;
}

/** What services and mocks implement differently. */
export interface ServerParts extends Omit<ApiParts, 'hasReference'> {
  readonly reference?: ReferencePart | undefined;
  /** Rejects if the stores cannot be read. Default: there are none. */
  readonly checkStores?: () => Promise<unknown>;
  /** Served on a separate address, with the health checks, if given. */
  readonly metrics?: Metrics | undefined;
  /** Middleware and routes of the application. */
  readonly middleware?: readonly RequestHandler[] | undefined;
  readonly routes?: readonly RequestHandler[] | undefined;
}

export type ComposedServer = Awaited<ReturnType<typeof composeServer>>;

/**
 * Creates the Express application and its HTTP server, for the service and for the mock. It does not listen yet.
 *
 * @throws TypeError and StartError as `composeApi`.
 */
export async function composeServer(config: Config, dependencies: Dependencies, parts: ServerParts) {
  const { contract, redactor, report, log } = dependencies;
  const { links, metrics, reference, middleware, routes } = parts;
  const { onDecision, onReadiness, ...events } = createServerEvents(log?.logger, redactor, metrics);
  const readiness = new Readiness(parts.checkStores ?? (() => Promise.resolve()), onReadiness);
  const requestIds = createRequestIds(contract, redactor);
  const api = await composeApi(dependencies, { ...parts, hasReference: reference !== undefined }, onDecision);
  const { addressLimit, errors } = api;
  const rateLimitHeaders = rateLimitFamilies[contract.deployment.rateLimitHeaders ?? 'both'];
  const documents = reference === undefined ? [] : [await reference.create(contract, errors.codes)];
  const { concurrentRequestsMax, trustProxy, corsOrigins } = config;
  const app = createApp({
    ...{ ...api, readiness, documents, middleware, routes },
    ...{ concurrentRequestsMax, trustProxy, corsOrigins },
  });
  const { requestTimeoutSeconds, connectionsMax, connectionsPerAddressMax } = config;
  const { server, connections } = createHttpServer(app, {
    ...{ requestTimeoutSeconds, connectionsMax, connectionsPerAddressMax, ...events, addressLimit, errors, requestIds },
    rateLimitHeaders,
    logger: log?.logger,
    cors: corsOrigins.length === 0 ? undefined : cors(corsOrigins, contract),
  });
  // Its requests are logged, but not counted.
  const { onEnd } = createServerEvents(log?.logger, redactor);
  const metricsServer = metrics && createMetricsServer(metrics, readiness, { errors, requestIds, onEnd });
  return {
    server,
    connections,
    /** Starts to listen. @throws StartError if an address is not available. */
    listen: async () => {
      const { host, port, metricsHost = host, metricsPort = 0 } = config;
      const metricsAddress = { host: metricsHost, port: metricsPort, settings: 'METRICS_HOST and METRICS_PORT' };
      const metricsUrl = metricsServer && `${await listen(metricsServer, { ...metricsAddress, report })}${metricsPath}`;
      const origin = await listen(server, { host, port, settings: 'HOST and PORT', report });
      links.ownBaseUrl = `${origin}${contract.prefix}`;
      const root = links.root();
      const urlOf = (path: string) => (reference === undefined ? undefined : `${root}${path}`);
      const urls = { contractUrl: urlOf(ownPaths.contract), docsUrl: urlOf(ownPaths.docs), metricsUrl };
      return { baseUrl: links.baseUrl, ownBaseUrl: links.ownBaseUrl, ...urls };
    },
    /** Shuts down gracefully. Load balancers send no further requests while the connections are drained. */
    close: async () => {
      readiness.stop();
      await connections.close(server, config.drainTimeoutSeconds * 1000);
      metricsServer?.close().closeAllConnections();
    },
  };
}
