import { KeyRedactor } from '#src/api-keys/key-redactor.js';
import { readConfig } from '#src/config.js';
import { openLog } from '#src/observability/log.js';
import { contractUrl, readContract } from '#src/openapi/load-contract.js';
import { createService, type Service } from '#src/service/create-service.js';
import { closeLater } from '../closing.js';
import { issueKey } from '../issue-key.js';
import { LogLines } from '../log-lines.js';
import { startOfTests } from '../start-of-tests.js';
import { temporaryDirectory } from '../temporary-directory.js';

/** A running service with an empty database, a free port, and a clock that the test sets. */
export interface TestService extends Service {
  readonly baseUrl: string;
  /** Shuts down gracefully; `close` disconnects all clients. */
  readonly stop: () => Promise<void>;
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

/** Timeouts of the HTTP server, in milliseconds. */
type Timeouts = Partial<Record<'headersTimeout' | 'requestTimeout' | 'connectionsCheckingInterval', number>>;

const contract = await readContract(contractUrl);

/** A service that the tests of a suite share. */
export function useService(env: Readonly<Record<string, string>> = {}): TestService {
  const service = {} as TestService;
  before(async () => Object.assign(service, await startService(env)));
  return service;
}

/** A new service for each test of a suite. */
export function useNewService(env: Readonly<Record<string, string>> = {}): TestService {
  const service = {} as TestService;
  beforeEach(async () => Object.assign(service, await startService(env)));
  return service;
}

/** Starts a service, which is closed after the test, or after the suite if a `before` hook starts it. */
export async function startService(
  env: Readonly<Record<string, string>> = {},
  clock = { now: startOfTests },
  timeouts: Timeouts = {},
): Promise<TestService> {
  const directory = env['DATA_DIR'] ?? temporaryDirectory();
  const config = readConfig({ PORT: '0', DATA_DIR: directory, ...env }, contract.document);
  const log = new LogLines();
  const redactor = new KeyRedactor(contract.document);
  const serviceLog = openLog({ level: config.logLevel, destination: log, clock: () => clock.now, redactor });
  const reported: unknown[] = [];
  const report: typeof serviceLog.report = (error, requestId) => {
    reported.push(error);
    serviceLog.report(error, requestId);
  };
  const service = await createService(config, { contract, clock: () => clock.now, redactor, report, log: serviceLog });
  Object.assign(service.server, timeouts);
  const { token, key } = await issueKey(service, [1_000_000, 1_000_000]);
  const { baseUrl, metricsUrl } = await service.listen();
  let closed: Promise<void> | undefined;
  const stop = () => (closed ??= service.close());
  const close = () => {
    // Without the second in which a stopping service accepts connections.
    if (closed === undefined) service.server.close().closeAllConnections();
    return stop();
  };
  closeLater(close);
  const own = { close, stop, baseUrl, metricsUrl, token, keyId: key.id, directory, reported, log, clock };
  return { ...service, ...own };
}
