import type { Server } from 'node:http';
import type { ServedContract } from '@contract-server/core/load/load-contract.js';
import { type Config, readConfig, type SettingsOwner } from 'contract-server/config.js';
import { KeyRedactor } from 'contract-server/log/key-redactor.js';
import { openLog } from 'contract-server/log/log.js';
import type { Dependencies } from 'contract-server/service/compose-server.js';
import { type ApplicationStores, type ServiceDefinition, settingsOwner } from 'contract-server/service/definition.js';
import { type OpenService, openService } from 'contract-server/service/open-service.js';
import { closeLater } from '../closing.js';
import { issueKey, type StoresWithKeys } from '../issue-key.js';
import { LogLines } from '../log-lines.js';
import { startOfTests } from '../start-of-tests.js';
import { temporaryDirectory } from '../temporary-directory.js';

/** A running server with an empty database, a free port, and a clock that the test sets. */
export interface TestServer {
  readonly baseUrl: string;
  /** Shuts down gracefully; `close` disconnects all clients. */
  readonly stop: () => Promise<void>;
  readonly close: () => Promise<void>;
  readonly metricsUrl: string | undefined;
  /** The token of a key whose quota no test exhausts. */
  readonly token: string;
  readonly keyId: string;
  readonly directory: string;
  /** The reported internal errors and outages. */
  readonly reported: unknown[];
  readonly log: LogLines;
  readonly clock: { now: number };
}

/** A server that does not listen yet. */
interface Created {
  readonly server: Server;
  readonly stores: StoresWithKeys;
  listen(): Promise<Pick<TestServer, 'baseUrl' | 'metricsUrl'>>;
  close(): Promise<void>;
}

type Environment = Readonly<Record<string, string>>;
/** Timeouts of the HTTP server, in milliseconds. */
type Timeouts = Partial<Record<'headersTimeout' | 'requestTimeout' | 'connectionsCheckingInterval', number>>;

/** Returns functions that start servers: `useServer` one that a suite shares, `useNewServer` one for each test. */
export function serversWith<T extends Created>(
  service: SettingsOwner,
  contract: ServedContract,
  create: (config: Config, dependencies: Dependencies) => Promise<T>,
) {
  /** It is closed after the test, or after the suite if a `before` hook starts it. */
  const startServer = async (
    env: Environment = {},
    clock = { now: startOfTests },
    timeouts: Timeouts = {},
  ): Promise<T & TestServer> => {
    const directory = env['DATA_DIR'] ?? temporaryDirectory();
    const config = readConfig(service, { PORT: '0', DATA_DIR: directory, ...env }, contract.document);
    const log = new LogLines();
    const redactor = new KeyRedactor(Object.values(contract.keyPrefixes));
    const serviceLog = openLog({ level: config.logLevel, destination: log, clock: () => clock.now, redactor });
    const reported: unknown[] = [];
    const report: typeof serviceLog.report = (error, requestId) => {
      reported.push(error);
      serviceLog.report(error, requestId);
    };
    const created = await create(config, { contract, clock: () => clock.now, redactor, report, log: serviceLog });
    Object.assign(created.server, timeouts);
    const { token, key } = await issueKey(created, [1_000_000, 1_000_000]);
    const { baseUrl, metricsUrl } = await created.listen();
    let closed: Promise<void> | undefined;
    const stop = () => (closed ??= created.close());
    const close = () => {
      // Without the second in which a stopping service accepts connections.
      if (closed === undefined) created.server.close().closeAllConnections();
      return stop();
    };
    closeLater(close);
    const own = { close, stop, baseUrl, metricsUrl, token, keyId: key.id, directory, reported, log, clock };
    return { ...created, ...own };
  };
  const use = (isShared: boolean) => (env?: Environment) => {
    const service = {} as T & TestServer;
    const start = async () => Object.assign(service, await startServer(env));
    if (isShared) before(start);
    else beforeEach(start);
    return service;
  };
  return { startServer, useServer: use(true), useNewServer: use(false) };
}

/** A service of `createService` that a test has started. */
export type TestService<Stores extends ApplicationStores> = OpenService<Stores> & TestServer;

/** The functions of `serversWith` for a service with its own contract. */
export function serversOf<Stores extends ApplicationStores>(
  definition: ServiceDefinition<Stores>,
  contract: ServedContract,
) {
  return serversWith(settingsOwner(definition), contract, (config, dependencies) =>
    openService(definition, config, dependencies),
  );
}
