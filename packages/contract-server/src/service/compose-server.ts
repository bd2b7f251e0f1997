import type { Handler as BackendHandler } from 'openapi-backend';
import type { KeyRedactor } from '../api-keys/key-redactor.js';
import type { Config } from '../config.js';
import { AddressLimit } from '../http/address-limit.js';
import { type AppOptions, createApp } from '../http/create-app.js';
import { type ErrorForm, ErrorResponses } from '../http/error-responses.js';
import { cors } from '../http/middleware/cors.js';
import { createLifecycleHandlers } from '../http/middleware/serve-operation.js';
import { createMetricsServer } from '../http/monitoring.js';
import { createRequestIds } from '../http/request-context.js';
import { createHttpServer, listen } from '../http/server.js';
import { createServerEvents } from '../http/server-events.js';
import type { Clock } from '../lib/clock.js';
import type { Report } from '../lib/errors.js';
import type { ServiceLog } from '../observability/log.js';
import type { Metrics } from '../observability/metrics.js';
import { Readiness } from '../observability/readiness.js';
import { createApi } from '../openapi/create-api.js';
import type { ContractDocument } from '../openapi/document.js';
import type { Links } from '../openapi/links.js';
import type { ServedContract } from '../openapi/load-contract.js';
import { metricsPath, ownPaths } from '../openapi/own-paths.js';
import { basePathOf } from '../openapi/servers.js';
import type { AnyHandlers } from '../openapi/types.js';
import { EmbeddedQuotaStore } from '../rate-limits/embedded-quota-store.js';

/** The dependencies of a server besides its configuration. */
export interface Dependencies {
  readonly contract: ServedContract;
  readonly clock: Clock;
  readonly redactor: KeyRedactor;
  readonly report: Report;
  /** Logs requests and events, if given. */
  readonly log?: ServiceLog;
}

/** What the service and the mock implement differently. */
export interface ServerParts extends Pick<AppOptions, 'security' | 'before' | 'routes'> {
  /** Whether client addresses are not limited. */
  readonly skipAddressLimit?: boolean;
  /** Default: in the memory of this process. */
  readonly quotas?: AppOptions['quotas'];
  /** Rejects if the stores cannot be read. Default: there are none. */
  readonly checkStores?: () => Promise<unknown>;
  /** Served on a separate address, with the health checks, if given. */
  readonly metrics?: Metrics | undefined;
  /** The document that the API is created from. Default: that of the contract. */
  readonly apiDocument?: ContractDocument;
  readonly links: Links;
  readonly handlers: AnyHandlers;
  /** The handler of operations without a handler. Default: 501. */
  readonly notImplemented?: BackendHandler;
  readonly errorForm?: ErrorForm;
}

export type ComposedServer = Awaited<ReturnType<typeof composeServer>>;

/**
 * Creates the Express application and its HTTP server, for the service and for the mock. It does not listen yet.
 *
 * @throws TypeError if the contract lacks something that the server needs.
 * @throws StartError if a security scheme has no handler.
 */
export async function composeServer(config: Config, dependencies: Dependencies, parts: ServerParts) {
  const { contract, clock, redactor, report, log } = dependencies;
  const { document } = contract;
  const { links, handlers, notImplemented, metrics } = parts;
  const { onDecision, onReadiness, ...events } = createServerEvents(log?.logger, redactor, metrics);
  const addressLimit = new AddressLimit(document, onDecision, parts.skipAddressLimit);
  const readiness = new Readiness(parts.checkStores ?? (() => Promise.resolve()), onReadiness);
  const errors = new ErrorResponses(document, redactor, report, parts.errorForm);
  const requestIds = createRequestIds(document, redactor);
  const lifecycleHandlers = { ...createLifecycleHandlers(errors), ...(notImplemented && { notImplemented }) };
  const api = await createApi({ document: parts.apiDocument ?? document, handlers, lifecycleHandlers, links });
  const { concurrentRequestsMax, trustProxy, corsOrigins } = config;
  const { quotas = new EmbeddedQuotaStore(document['x-rate-limit-ban'], clock), security, before, routes } = parts;
  const app = createApp({
    ...{ contract, api, links, security, quotas, onDecision, addressLimit, readiness, errors, clock },
    ...{ concurrentRequestsMax, trustProxy, corsOrigins, before, routes },
  });
  const { requestTimeoutSeconds, connectionsMax, connectionsPerAddressMax } = config;
  const { server, connections } = createHttpServer(app, {
    ...{ requestTimeoutSeconds, connectionsMax, connectionsPerAddressMax, ...events, addressLimit, errors, requestIds },
    logger: log?.logger,
    cors: corsOrigins.length === 0 ? undefined : cors(corsOrigins, document),
  });
  // Its requests are logged, but not counted.
  const { onEnd } = createServerEvents(log?.logger, redactor);
  const metricsServer = metrics && createMetricsServer(metrics, readiness, { errors, requestIds, onEnd });
  return {
    server,
    connections,
    /** Starts to listen. @throws StartError if an address is not available. */
    listen: async () => {
      const { host, port, metricsHost, metricsPort = 0 } = config;
      const metricsAddress = { host: metricsHost, port: metricsPort, settings: 'METRICS_HOST and METRICS_PORT' };
      const metricsUrl = metricsServer && `${await listen(metricsServer, { ...metricsAddress, report })}${metricsPath}`;
      const origin = await listen(server, { host, port, settings: 'HOST and PORT', report });
      links.ownBaseUrl = `${origin}${basePathOf(document)}`;
      const root = links.root();
      const documents = { contractUrl: `${root}${ownPaths.contract}`, docsUrl: `${root}${ownPaths.docs}` };
      return { baseUrl: links.baseUrl, ownBaseUrl: links.ownBaseUrl, ...documents, metricsUrl };
    },
    /** Shuts down gracefully. Load balancers send no further requests while the connections are drained. */
    close: async () => {
      readiness.stop();
      await connections.close(server, config.drainTimeoutSeconds * 1000);
      metricsServer?.close().closeAllConnections();
    },
  };
}
