import type { Server } from 'node:http';
import { contractOf } from '@contract-server/core/contract/contract.js';
import type { ContractDocument } from '@contract-server/core/contract/document.js';
import {
  integer,
  matching,
  type OptionRules,
  object,
  required,
  requireOptions,
} from '@contract-server/core/lib/option-rules.js';
import type { Express } from 'express';
import type { Logger } from 'pino';
import { type ErrorResponseOptions, ErrorResponses } from '../http/errors/error-responses.js';
import { createRequestIds } from '../http/request-context.js';
import { createHttpServer, listen as listenOn } from '../http/wire/server.js';
import { KeyRedactor } from '../log/key-redactor.js';
import { reportTo, stderrLogger } from '../log/log.js';
import { errorRules, loggerRule } from './option-table.js';

/** Maximum time for a request to arrive: that of Node, because routes can accept large uploads. */
const requestTimeoutSeconds = 300;

export interface ListenOptions {
  /** 0 for a free port. */
  readonly port: number;
  /** Default: every address. */
  readonly host?: string;
  /** How errors of malformed HTTP become responses, as in `createRouter`. */
  readonly errors?: ErrorResponseOptions;
  /** Receives internal errors. Default: JSON lines on stderr. */
  readonly logger?: Logger;
  /** Maximum time for the requests in progress at `close`; then, their connections are closed. Default: 6. */
  readonly drainTimeoutSeconds?: number;
}

const listenRules: OptionRules<ListenOptions> = {
  port: required(integer(0, 65_535)),
  host: matching('a host name or an IP address', /^\S+$/),
  errors: object(errorRules),
  logger: loggerRule,
  drainTimeoutSeconds: integer(0, 3600),
};

/** A server that listens. */
export interface ListeningServer {
  readonly server: Server;
  /** The origin, such as `http://127.0.0.1:8080`. */
  readonly url: string;
  /**
   * Shuts down gracefully: for a second, connections are still accepted, but closed after a response. Then, the
   * requests in progress are completed.
   */
  readonly close: () => Promise<void>;
}

/** There is no contract whose errors a malformed request could have. */
const none: ContractDocument = { openapi: '3.1.0', info: { title: '', version: '' }, paths: {}, 'x-error-codes': {} };

/** Listens with an Express application, as the `listen` of the package describes. @throws StartError */
export async function listen(app: Express, options: ListenOptions): Promise<ListeningServer> {
  requireOptions('listen', options, listenRules);
  const { port, host, logger = stderrLogger(), drainTimeoutSeconds = 6 } = options;
  const contract = contractOf(none);
  const [report, redactor] = [reportTo(logger), new KeyRedactor([])];
  const { server, connections } = createHttpServer(app, {
    servesRoutes: true,
    ...{ requestTimeoutSeconds, connectionsPerAddressMax: 0, logger },
    errors: new ErrorResponses(contract, redactor, report, { options: options.errors }),
    requestIds: createRequestIds(contract, redactor),
    onEnd: () => undefined,
  });
  const url = await listenOn(server, { host, port, report });
  return { server, url, close: () => connections.close(server, drainTimeoutSeconds * 1000) };
}
