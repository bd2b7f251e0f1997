import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Contract } from '@contract-server/core/contract/contract.js';
import type { ContractDocument } from '@contract-server/core/contract/document.js';
import { UsageError } from '@contract-server/core/lib/errors.js';
import type { ServedContract } from '@contract-server/core/load/load-contract.js';
import { type Command, Option } from 'commander';
import { createKey, type StoredKey } from '../../api-keys/api-key.js';
import { hashToken } from '../../api-keys/token.js';
import { type ApplicationSettings, type Config, readConfig, settings } from '../../config.js';
import type { ErrorResponseOptions } from '../../http/errors/error-responses.js';
import { KeyRedactor } from '../../log/key-redactor.js';
import type { ComposedServer, Dependencies } from '../../service/compose-server.js';
import { findApiKeys, type ServiceDefinition } from '../../service/definition.js';
import type { OpenService } from '../../service/open-service.js';
import { openAll } from '../../service/resource-stack.js';
import { type CommandContext, firstSignal, openCommandLog, print, type Signals } from '../context.js';
import { addListenOptions, type Invocation, type ListenOptions } from '../invocation.js';
import { mockAddresses, mockAnnouncement, mockKeyOf } from '../output/mock-announcement.js';

/** The options of every mock. */
export interface MockOptions extends ListenOptions {
  readonly baseUrl?: string;
  readonly json?: true;
}

interface ServiceMockOptions extends MockOptions {
  readonly stateful?: true;
  readonly plan?: string;
}

/** What a mock is created from. */
interface MockedContract {
  /** Settings are named after it. */
  readonly name: string;
  readonly contract: ServedContract;
  readonly context: CommandContext;
  /** How errors become responses. */
  readonly errors?: ErrorResponseOptions | undefined;
  /** The settings of the application, if it takes the place of the mock. */
  readonly settings?: ApplicationSettings | undefined;
}

/** Creates the server that takes the place of the mock. */
type CreateService = (config: Config, dependencies: Dependencies) => Promise<OpenService>;

const unlimited = { requestsPerMinute: 1_000_000_000, requestsPerDay: 1_000_000_000 };

/** Adds `mock` to the command line of a service. */
export function addMock(program: Command, invocation: Invocation): void {
  const { definition, contract } = invocation;
  const { name, errors, stores } = definition;
  const command = addMockOptions(program.command('mock'));
  // A service on PostgreSQL alone has no store of its own that could be empty.
  if (stores === undefined || stores.sqlite !== undefined)
    command.option('--stateful', 'run the real service on an empty store, which is deleted at the end');
  if (findApiKeys(definition) !== undefined) addPlanOption(command, contract);
  command.action(({ stateful, plan, ...options }: ServiceMockOptions) => {
    const { context } = invocation;
    const create: CreateService = (...args) => createEphemeralService(definition, plan, context.signals, ...args);
    if (!stateful) return runMock({ name, contract, context, errors }, options);
    return runMock({ name, contract, context, errors, settings: definition.settings }, options, create);
  });
}

function addPlanOption(command: Command, contract: Contract): void {
  const plans = Object.entries(contract.plans).filter(([, limits]) => typeof limits === 'object');
  command.addOption(
    new Option('--plan <plan>', 'apply the rate limits of this plan to the key; implies --stateful')
      .choices(plans.map(([name]) => name))
      .implies({ stateful: true }),
  );
}

/** Adds the description and the options of every mock. */
export function addMockOptions(command: Command): Command {
  command.description('return the examples of the contract, for tests of clients; stops on SIGTERM, SIGINT or SIGHUP');
  return addListenOptions(command)
    .option('--base-url <url>', "URL of the API for clients, with its path prefix (default: the server's own address)")
    .option('--json', 'print what clients need as one line of JSON, for programs, before the log');
}

/**
 * Runs a mock until a signal stops it.
 *
 * @param createService creates a real service instead.
 * @throws UsageError, StartError
 */
export async function runMock(
  { name, contract, context, errors, settings: own = {} }: MockedContract,
  { baseUrl, json, host, port }: MockOptions,
  createService?: CreateService,
): Promise<void> {
  // Listening before the start, so that a signal during the start also deletes the store.
  const stopped = firstSignal(context);
  const { document } = contract;
  const { environment } = mockKeyOf(contract);
  const overrides = {
    environment,
    publicBaseUrl: parseBaseUrl(baseUrl, document),
    ...(host !== undefined && { host }),
    ...(port !== undefined && { port }),
  };
  // Ignores the other settings, so that a mock never opens real data.
  const names = ['HOST', 'PORT', 'CORS_ORIGINS', 'LOG_LEVEL', ...Object.values(own).map((setting) => setting.name)];
  const env = Object.fromEntries(names.map((each) => [each, context.env[each]]));
  const config = readConfig({ name, settings: own }, env, document, overrides);
  const redactor = new KeyRedactor(Object.values(contract.keyPrefixes));
  const log = await openCommandLog(context, config.logLevel, redactor);
  const dependencies = { contract, clock: context.clock, redactor, report: log.report, log, errors };
  const mock = await openAll(log.report, async (opened) => {
    // Loaded on demand, because it imports the server.
    const { createMock } = await import('../../service/create-mock.js');
    const create = createService ?? createMock;
    const created: ComposedServer | OpenService = opened.add(await create(config, dependencies));
    const addresses = await created.listen();
    if (json) await print(context.stdout, `${JSON.stringify(mockAddresses(addresses, contract))}\n`);
    else await print(context.stderr, mockAnnouncement(addresses, contract, createService !== undefined));
    return created;
  });
  await stopped;
  await mock.close();
  await log.close();
  context.signals.exit(0);
}

/** @throws UsageError */
function parseBaseUrl(text: string | undefined, document: ContractDocument): Config['publicBaseUrl'] {
  try {
    return text === undefined ? undefined : settings.publicBaseUrl.parse(text, document);
  } catch (error) {
    throw new UsageError(
      `option '--base-url <url>' argument '${String(text)}' is invalid; it ${(error as Error).message}`,
    );
  }
}

/**
 * Creates the real service on an empty store that is deleted when the process exits.
 *
 * @param plan the plan of the only API key; `undefined` for practically no limits, also without a key.
 * @param config accepts the keys of the mock's environment. Its data directory is not used.
 * @throws StartError
 */
async function createEphemeralService(
  definition: ServiceDefinition,
  plan: string | undefined,
  signals: Signals,
  config: Config,
  dependencies: Dependencies,
): Promise<OpenService> {
  // Loaded on demand, because it imports the stores.
  const { openService } = await import('../../service/open-service.js');
  const { contract, clock } = dependencies;
  const dataDirectory = mkdtempSync(join(tmpdir(), `${definition.name}-mock-`));
  signals.once('exit', () => rmSync(dataDirectory, { recursive: true, force: true }));
  const service = await openService(definition, { ...config, dataDirectory }, dependencies, plan === undefined);
  await service.stores.apiKeys?.store.insert(mockKey(contract, plan, clock()));
  return service;
}

/** The only API key. @param plan its plan; `undefined` for practically no limits. */
function mockKey(contract: Contract, plan: string | undefined, createdAt: number): StoredKey {
  const name = plan ?? Object.entries(contract.plans).find(([, limits]) => typeof limits === 'string')?.[0];
  if (name === undefined) throw new TypeError('The contract has no plan that is custom or unlimited. Use --plan.');
  const quota = { id: 'quota_mock', plan: name, limits: plan === undefined ? unlimited : undefined };
  const key = createKey({ id: 'key_mock', name: 'mock', quota, createdAt });
  return { key, tokenHash: hashToken(mockKeyOf(contract).token) };
}
