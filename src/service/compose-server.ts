import type { KeyRedactor } from '../api-keys/key-redactor.js';
import type { Config } from '../config.js';
import { type AppOptions, createApp } from '../http/create-app.js';
import { ErrorResponses, type Report } from '../http/error-responses.js';
import { cors } from '../http/middleware/cors.js';
import { createLifecycleHandlers } from '../http/middleware/serve-operation.js';
import { createRequestIds } from '../http/request-context.js';
import { createHttpServer, type HttpServerOptions, listen } from '../http/server.js';
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

interface ServerOptions
  extends Dependencies,
    Pick<AppOptions, 'authenticator' | 'quotas' | 'addressLimit' | 'readiness'>,
    Pick<HttpServerOptions, 'onEnd' | 'onClientError' | 'onConnectionLimit'> {
  /** Creates the API with its handlers. */
  readonly createApi: (links: Links, lifecycleHandlers: LifecycleHandlers) => Promise<Api>;
}

export type ComposedServer = Awaited<ReturnType<typeof composeServer>>;

/**
 * Creates the Express application and its HTTP server, for the service and for the mock. It does not listen yet.
 *
 * @throws TypeError if the contract lacks something that the server needs.
 */
export async function composeServer(config: Config, options: ServerOptions) {
  const { clock, redactor, report } = options;
  const { document } = options.contract;
  const errors = new ErrorResponses(document, redactor, report);
  const requestIds = createRequestIds(document, redactor);
  /** Set when the server listens, before the first request. */
  let ownBaseUrl = '';
  const baseUrl = () => config.publicBaseUrl ?? ownBaseUrl;
  const links = new Links(document, clock, baseUrl);
  const api = await options.createApi(links, createLifecycleHandlers(errors));
  const app = createApp({ ...config, ...options, api, links, errors });
  const { server, connections } = createHttpServer(app, {
    ...config,
    ...options,
    cors: config.corsOrigins.length === 0 ? undefined : cors(config.corsOrigins, document),
    errors,
    requestIds,
  });
  return {
    server,
    connections,
    errors,
    requestIds,
    /** Starts to listen. @throws StartError if the address is not available. */
    listen: async () => {
      const origin = await listen(server, { ...config, settings: 'HOST and PORT', report });
      ownBaseUrl = `${origin}${basePathOf(document)}`;
      const root = links.root();
      return { baseUrl: baseUrl(), ownBaseUrl, contractUrl: `${root}${contractPath}`, docsUrl: `${root}${docsPath}` };
    },
    /** Shuts down gracefully. */
    close: () => connections.close(server),
  };
}
