import type { KeyRedactor } from '../api-keys/key-redactor.js';
import type { Config } from '../config.js';
import { type AppOptions, createApp } from '../http/create-app.js';
import { type ErrorForm, ErrorResponses, type Report } from '../http/error-responses.js';
import { cors } from '../http/middleware/cors.js';
import { createLifecycleHandlers } from '../http/middleware/serve-operation.js';
import { createMetricsServer, type MetricsServerOptions } from '../http/monitoring.js';
import { createRequestIds } from '../http/request-context.js';
import { createHttpServer, type HttpServerEvents, listen } from '../http/server.js';
import type { Clock } from '../lib/clock.js';
import type { ServiceLog } from '../observability/log.js';
import type { Api, LifecycleHandlers } from '../openapi/create-api.js';
import { basePathOf } from '../openapi/document.js';
import { contractPath, docsPath, Links } from '../openapi/links.js';
import type { ContractSource } from '../openapi/load-contract.js';

/** The dependencies of a server besides its configuration. */
export interface Dependencies {
  readonly contract: ContractSource;
  readonly clock: Clock;
  readonly redactor: KeyRedactor;
  /** Receives internal errors and outages. */
  readonly report: Report;
  /** Logs requests and events, if given. */
  readonly log?: ServiceLog;
}

/** What the service and the mock implement differently. */
export interface ServerParts
  extends Pick<AppOptions, 'security' | 'quotas' | 'addressLimit' | 'readiness' | 'before' | 'routes'> {
  readonly serverEvents: HttpServerEvents;
  /** Serves metrics and health checks on a separate address, if given. */
  readonly monitoring?: Pick<MetricsServerOptions, 'metrics' | 'onEnd'> | undefined;
  /** Creates the API with its handlers. */
  readonly createApi: (links: Links, lifecycleHandlers: LifecycleHandlers) => Promise<Api>;
  /** Default: that of this service. */
  readonly errorForm?: ErrorForm;
}

/** The schema `Error` of the contract. */
const ownErrorForm: ErrorForm = { mediaType: 'application/json', create: (error) => error };

export type ComposedServer = Awaited<ReturnType<typeof composeServer>>;

/**
 * Creates the Express application and its HTTP server, for the service and for the mock. It does not listen yet.
 *
 * @throws TypeError if the contract lacks something that the server needs.
 * @throws StartError if a security scheme has no handler.
 */
export async function composeServer(config: Config, dependencies: Dependencies, parts: ServerParts) {
  const { contract, clock, redactor, report } = dependencies;
  const { document } = contract;
  const { readiness, addressLimit, errorForm = ownErrorForm, monitoring } = parts;
  const errors = new ErrorResponses(document, errorForm, redactor, report);
  const requestIds = createRequestIds(document, redactor);
  /** Set when the server listens, before the first request. */
  let ownBaseUrl = '';
  const baseUrl = () => config.publicBaseUrl ?? ownBaseUrl;
  const links = new Links(document, clock, baseUrl);
  const api = await parts.createApi(links, createLifecycleHandlers(errors));
  const { server, connections } = createHttpServer(
    createApp({ ...config, ...parts, contract, api, links, errors, clock }),
    {
      ...{ ...config, ...parts.serverEvents, addressLimit, errors, requestIds },
      requestTimeoutMs: config.requestTimeoutSeconds * 1000,
      cors: config.corsOrigins.length === 0 ? undefined : cors(config.corsOrigins, document),
    },
  );
  const metricsServer = monitoring && createMetricsServer({ ...monitoring, readiness, errors, requestIds });
  return {
    server,
    connections,
    /** Starts to listen. @throws StartError if an address is not available. */
    listen: async () => {
      const { host, port, metricsHost, metricsPort = 0 } = config;
      const metricsAddress = { host: metricsHost, port: metricsPort, settings: 'METRICS_HOST and METRICS_PORT' };
      const metricsUrl = metricsServer && `${await listen(metricsServer, { ...metricsAddress, report })}/metrics`;
      const origin = await listen(server, { host, port, settings: 'HOST and PORT', report });
      ownBaseUrl = `${origin}${basePathOf(document)}`;
      const root = links.root();
      const documents = { contractUrl: `${root}${contractPath}`, docsUrl: `${root}${docsPath}` };
      return { baseUrl: baseUrl(), ownBaseUrl, ...documents, metricsUrl };
    },
    /** Shuts down gracefully. Load balancers send no further requests while the connections are drained. */
    close: async () => {
      readiness.stop();
      await connections.close(server, config.drainTimeoutSeconds * 1000);
      metricsServer?.close().closeAllConnections();
    },
  };
}
