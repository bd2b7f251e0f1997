import { mkdtemp, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PlanLimits } from '@contract-server/core/contract/document.js';
import { suggestion, throwIfAny } from '@contract-server/core/lib/option-rules.js';
import { readContract } from '@contract-server/core/load/load-contract.js';
import { readConfig, settingsOf } from 'contract-server/config.js';
import { openLog } from 'contract-server/log/log.js';
import {
  type ApplicationStores,
  redactorOf,
  type ServiceDefinition,
  settingsOwner,
} from 'contract-server/service/definition.js';
import { requireServiceOptions } from 'contract-server/service/option-table.js';
import { openAll } from 'contract-server/service/resource-stack.js';
import { createRequest, type Request } from './create-request.js';
import type { ResponseRules } from './create-response-check.js';
import { LogLines } from './log-lines.js';

/** Unix milliseconds, which a test sets. */
export interface TestClock {
  now: number;
}

export interface StartOptions extends ResponseRules {
  /** Settings by the names of their environment variables. `DATA_DIR` is a temporary directory by default. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Default: the time of the start, which does not advance. */
  readonly clock?: TestClock;
}

/** A service that a test has started. */
export interface TestedService<Stores = unknown> {
  readonly request: Request;
  readonly server: Server;
  /** The path prefix of the API, such as `/v1`; '' without one. */
  readonly basePath: string;
  /** The URL of the API, with its path prefix, on a free port of the loopback interface. */
  readonly baseUrl: string;
  /** The stores of the application. */
  readonly stores: Stores;
  readonly clock: TestClock;
  readonly log: LogLines;
  /**
   * Creates an API key. Default: of the plan `x-rate-limit-address-plan`. Resolves with the token. Rejects with a
   * TypeError if the service has no API keys.
   */
  readonly createApiKey: (terms?: { readonly plan?: string; readonly limits?: PlanLimits }) => Promise<string>;
  /** Disconnects the clients, and closes the service as a signal does in production. */
  readonly close: () => Promise<void>;
}

/**
 * Starts a service of `createService` in this process, as `run` does, for tests of its API. It reads no environment
 * variables, and prints nothing.
 *
 * @throws ContractError, UsageError for invalid settings, StartError for unknown ones and as `run` does
 */
export async function startService<Stores extends ApplicationStores>(
  { definition }: { readonly definition: ServiceDefinition<Stores> },
  { settings = {}, clock = { now: Date.now() }, ...rules }: StartOptions = {},
): Promise<TestedService<Stores>> {
  requireServiceOptions(definition);
  const owner = settingsOwner(definition);
  requireSettings(settings, ['DATA_DIR', ...settingsOf(owner).map(({ name }) => name)]);
  const contract = await readContract(definition);
  // Errors of closing are not reported, because the error of the start is thrown.
  return openAll(
    () => undefined,
    async (opened) => {
      const directory = await mkdtemp(join(tmpdir(), `${definition.name}-`));
      opened.add({ close: () => rm(directory, { recursive: true }) });
      const config = readConfig(owner, { PORT: '0', DATA_DIR: directory, ...settings }, contract.document);
      const [lines, redactor, now] = [new LogLines(), redactorOf(definition, contract), () => clock.now];
      const log = opened.add(openLog({ level: config.logLevel, destination: lines, clock: now, redactor }));
      // Loaded on demand, because it imports Express, which a test of another application may not have installed.
      const { openService } = await import('contract-server/service/open-service.js');
      const dependencies = { contract, clock: now, redactor, report: log.report, log };
      const service = opened.add(await openService(definition, config, dependencies));
      const { server, stores } = service;
      const { baseUrl } = await service.listen();
      return {
        ...{ server, baseUrl, stores: stores.application, clock, log: lines },
        basePath: contract.prefix,
        request: await createRequest({
          ...{ contract: definition.contract, overlay: definition.overlay, lenient: definition.lenient },
          ...{ server, basePath: contract.prefix },
          ...rules,
        }),
        createApiKey: async ({ plan = contract.addressPlan, limits } = {}) => {
          if (stores.apiKeys === undefined) throw new TypeError('The service has no API keys.');
          const { token } = await stores.apiKeys.service.create({ name: 'test', plan, limits, expiresAt: undefined });
          return token;
        },
        close: async () => {
          // Skips the second in which a stopping service accepts connections.
          server.close().closeAllConnections();
          await opened.close();
        },
      };
    },
  );
}

/** @throws StartError for settings that a service does not have. */
function requireSettings(settings: object, known: readonly string[]): void {
  const unknown = Object.keys(settings).filter((name) => !known.includes(name));
  throwIfAny(unknown.map((name) => `The service has no setting \`${name}\`.${suggestion(name, known)}`));
}
