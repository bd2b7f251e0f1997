import type { KeyRedactor } from '../api-keys/key-redactor.js';
import type { Config } from '../config.js';
import { type AppOptions, createApp } from '../http/create-app.js';
import { type ErrorForm, ErrorResponses, type Report } from '../http/error-responses.js';
import { cors } from '../http/middleware/cors.js';
import { createLifecycleHandlers } from '../http/middleware/serve-operation.js';
import { createRequestIds } from '../http/request-context.js';
import { createHttpServer, type HttpServerEvents, listen } from '../http/server.js';
import type { Clock } from '../lib/clock.js';
import type { ServiceLog } from '../observability/log.js';
import type { Api, LifecycleHandlers } from '../openapi/create-api.js';
import { basePathOf } from '../openapi/document.js';
import { contractPath, docsPath, Links } from '../openapi/links.js';
import type { ContractSource } from '../openapi/load-contract.js';
import { errorForm } from './error-form.js';

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
  /** Default: that of this service. */
  readonly errorForm?: ErrorForm;
  /** Creates the API with its handlers. */
  readonly createApi: (links: Links, lifecycleHandlers: LifecycleHandlers) => Promise<Api>;
}

export type ComposedServer = Awaited<ReturnType<typeof composeServer>>;

/**
 * Creates the Express application and its HTTP server, for the service and for the mock. It does not listen yet.
 *
 * @throws TypeError if the contract lacks something that the server needs.
 * @throws StartError if a security scheme has no handler.
 */
export async function composeServer(config: Config, dependencies: Dependencies, parts: ServerParts) {
  const { contract, clock, redactor, report } = dependencies;
  const { security, quotas, addressLimit, readiness, before, routes } = parts;
  const { corsOrigins, connectionsMax, connectionsPerAddressMax } = config;
  const { document } = contract;
  const errors = new ErrorResponses(document, parts.errorForm ?? errorForm, redactor, report);
  const requestIds = createRequestIds(document, redactor);
  /** Set when the server listens, before the first request. */
  let ownBaseUrl = '';
  const baseUrl = () => config.publicBaseUrl ?? ownBaseUrl;
  const links = new Links(document, clock, baseUrl);
  const api = await parts.createApi(links, createLifecycleHandlers(errors));
  const app = createApp({
    ...{ contract, api, links, security, quotas, addressLimit, readiness, errors, clock, corsOrigins, before, routes },
    concurrentRequestsMax: config.concurrentRequestsMax,
    trustProxy: config.trustProxy,
  });
  const { server, connections } = createHttpServer(app, {
    connectionsMax,
    connectionsPerAddressMax,
    requestTimeoutMs: config.requestTimeoutSeconds * 1000,
    cors: corsOrigins.length === 0 ? undefined : cors(corsOrigins, document),
    addressLimit,
    errors,
    requestIds,
    ...parts.serverEvents,
  });
  return {
    server,
    connections,
    errors,
    requestIds,
    /** Starts to listen. @throws StartError if the address is not available. */
    listen: async () => {
      const { host, port } = config;
      const origin = await listen(server, { host, port, settings: 'HOST and PORT', report });
      ownBaseUrl = `${origin}${basePathOf(document)}`;
      const root = links.root();
      return { baseUrl: baseUrl(), ownBaseUrl, contractUrl: `${root}${contractPath}`, docsUrl: `${root}${docsPath}` };
    },
    /** Shuts down gracefully. Load balancers send no further requests while the connections are drained. */
    close: () => {
      readiness.stop();
      return connections.close(server, config.drainTimeoutSeconds * 1000);
    },
  };
}
