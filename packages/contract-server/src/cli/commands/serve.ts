import { reasonOf, StartError } from '@contract-server/core/lib/errors.js';
import { printable } from '@contract-server/core/lib/printable.js';
import { readContract } from '@contract-server/core/load/load-contract.js';
import type { IssuedKey } from '../../api-keys/api-key-service.js';
import { type Config, readConfig } from '../../config.js';
import type { ServiceLog } from '../../log/log.js';
import type { RedisTarget } from '../../rate-limits/redis-target.js';
import type { Dependencies } from '../../service/compose-server.js';
import { redactorOf, type ServiceDefinition, settingsOwner } from '../../service/definition.js';
import { type OpenService, openService } from '../../service/open-service.js';
import { findEngine } from '../../service/open-stores.js';
import { requireServiceOptions } from '../../service/option-table.js';
import { openAll } from '../../service/resource-stack.js';
import { type CommandContext, firstSignal, openCommandLog, print } from '../context.js';
import { describeError, exitCodeOf } from '../describe-error.js';
import type { Invocation } from '../invocation.js';
import { examplePath } from '../output/example-requests.js';
import { findWarnings, isLoopback } from './start-warnings.js';

/**
 * Runs the service until SIGTERM, SIGINT or SIGHUP, then shuts it down gracefully. A second SIGTERM or SIGINT exits
 * immediately. Resolves with the exit code: 1 if the service cannot start or did not shut down cleanly, 2 for invalid
 * settings. The log goes to `stdout`, text for people to `stderr`.
 *
 * @param overrides settings that options of the command line replace.
 * @param createsFirstKey whether a start on an empty embedded store may create an API key, and print it.
 */
export async function runServer(
  definition: ServiceDefinition,
  context: CommandContext,
  overrides: Partial<Config> = {},
  createsFirstKey = true,
): Promise<number> {
  const { env, clock, signals } = context;
  let log: ServiceLog | undefined;
  let exitCode = 0;
  try {
    requireServiceOptions(definition);
    const contract = await readContract(definition);
    const config = readConfig(settingsOwner(definition), env, contract.document, overrides);
    const redactor = redactorOf(definition, contract);
    log = await openCommandLog(context, config.logLevel, redactor);
    const { logger, report } = log;
    // Registered before the start: a signal during startup stops the service after startup.
    const stopSignal = firstSignal(context, (signal) => logger.warn({ signal }, 'exited on second signal'));
    const service = await start(
      definition,
      config,
      { contract, clock, redactor, report, log },
      context,
      createsFirstKey,
    );
    logger.info({ signal: await stopSignal }, 'stopping');
    await service.close();
    logger.info('stopped');
  } catch (error) {
    if (!(error instanceof StartError)) log?.report(error);
    context.stderr.write(printable(`${describeError(error)}\n`, '\n'));
    exitCode = exitCodeOf(error);
  }
  await log?.close();
  // Exits even if a dependency has left a handle open.
  signals.exit(exitCode);
  return exitCode;
}

/** Starts the service, creates the first API key, and prints and logs the addresses and warnings. @throws StartError */
function start(
  definition: ServiceDefinition,
  config: Config,
  dependencies: Dependencies & { log: ServiceLog },
  context: CommandContext,
  createsFirstKey: boolean,
) {
  const { contract, log, report } = dependencies;
  const printLines = (text: string) => void context.stderr.write(printable(`${text}\n`, '\n'));
  return openAll(report, async (opened): Promise<OpenService> => {
    const service = opened.add(await openService(definition, config, dependencies));
    const addresses = await service.listen();
    const { baseUrl, contractUrl, metricsUrl } = addresses;
    const { title, version } = contract.document.info;
    const { dataDirectory, redis } = config;
    const database = service.stores.db?.engine === 'postgres' ? service.stores.location : undefined;
    const places = { dataDirectory, database, redis: redis?.description };
    log.logger.info({ version, baseUrl, contractUrl, metricsUrl, ...places }, 'started');
    printLines(`${title} ${version} is at ${baseUrl}\n${describeService(addresses, service, config)}`);
    // After the service listens, because a key created by a failed start would never be shown.
    if ((await service.stores.apiKeys?.store.isEmpty()) === true) {
      const plan = contract.addressPlan;
      const isCreated = createsFirstKey && canShowKey(config, context);
      const firstKey = isCreated ? await createFirstKey(service, plan) : undefined;
      if (firstKey === undefined) printLines(noKeysNotice(definition, service, plan));
      else {
        log.logger.info({ keyId: firstKey.key.id }, 'first API key created');
        printLines(firstKeyNotice(firstKey, `${addresses.ownBaseUrl}${examplePath(contract)}`));
      }
    }
    for (const { code, text } of await findWarnings(definition, config, service, contract, context)) {
      log.logger.warn({ code }, text);
      printLines(`Warning: ${code}: ${printable(text)}`);
    }
    return service;
  });
}

/**
 * Whether only the operator sees what is printed: elsewhere, supervisors keep it, so that a key would be in a log. On
 * PostgreSQL, every node of a fleet would create a key.
 */
function canShowKey({ host, databaseUrl }: Config, { stderr }: CommandContext): boolean {
  return databaseUrl === undefined && (stderr.isTTY === true || isLoopback(host));
}

/** Creates a key with the plan of clients without a key. */
function createFirstKey({ stores }: OpenService, plan: string): Promise<IssuedKey> | undefined {
  return stores.apiKeys?.service.create({ name: 'first key', plan, limits: undefined, expiresAt: undefined });
}

function describeService(
  { baseUrl, ownBaseUrl, contractUrl, docsUrl, metricsUrl }: Awaited<ReturnType<OpenService['listen']>>,
  { stores }: OpenService,
  { redis }: Config,
): string {
  const documents = { Reference: docsUrl, Contract: contractUrl };
  const listener = ownBaseUrl === baseUrl ? undefined : ownBaseUrl;
  const places = {
    Listener: listener,
    ...documents,
    Data: stores.db && stores.location,
    Quotas: redis?.description,
    Metrics: metricsUrl,
  };
  const lines = Object.entries(places).filter(([, place]) => place !== undefined);
  return lines.map(([name, place]) => `  ${name.padEnd(10)}${String(place)}`).join('\n');
}

function firstKeyNotice({ key, token }: IssuedKey, url: string): string {
  return `
Created the first API key, on the plan ${key.quota.plan}. It is shown only once:

  ${token}

Try it:

  curl -H "Authorization: Bearer ${token}" ${url}
`;
}

function noKeysNotice({ name }: ServiceDefinition, { stores }: OpenService, plan: string): string {
  return `
There are no API keys in ${printable(stores.location)}. Create one, with the settings of the server:

  ${name} keys create --name first --plan ${plan}
`;
}

/**
 * Runs `serve --check`: reads the settings, and connects to the databases that they name. It creates nothing,
 * applies no migration, and can run while a server runs.
 *
 * @throws StartError
 */
export async function checkSettings(invocation: Invocation, overrides: Partial<Config>): Promise<void> {
  const { definition, context, contract } = invocation;
  const config = readConfig(settingsOwner(definition), context.env, contract.document, overrides);
  const { name, stores, quotas } = definition;
  const [, engine] = findEngine(stores, config) ?? [];
  const places = [
    ...(engine === undefined ? [] : [await engine.check(name, config)]),
    ...(quotas === undefined || config.redis === undefined ? [] : [await checkRedis(config.redis, invocation)]),
  ];
  const checked = places.length === 0 ? '' : ` Checked ${printable(places.join(', and '))}.`;
  await print(context.stdout, `The settings are valid.${checked}\n`);
}

async function checkRedis(redis: RedisTarget, { definition, contract }: Invocation): Promise<string> {
  const place = `Redis at ${redis.description}`;
  try {
    const store = await definition.quotas?.open(definition.name, redis, contract.banRule);
    await store?.close();
    return place;
  } catch (cause) {
    throw new StartError(`${place} cannot be used: ${reasonOf(cause)}. See REDIS_URL.`, { cause });
  }
}
