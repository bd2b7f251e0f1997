import { inspect } from 'node:util';
import type { IssuedKey } from '../../api-keys/api-key-service.js';
import { KeyRedactor } from '../../api-keys/key-redactor.js';
import { type Config, type Environment, readConfig } from '../../config.js';
import { ApiError, StartError } from '../../lib/errors.js';
import { openLog, openStdout, type ServiceLog } from '../../observability/log.js';
import { contractUrl, readContract } from '../../openapi/load-contract.js';
import type { PlanName } from '../../openapi/types.js';
import { type Addresses, createService, type Dependencies, type Service } from '../../service/create-service.js';
import { openAll } from '../../service/resource-stack.js';
import { type CommandContext, firstSignal } from '../context.js';
import { printable } from '../output/format.js';
import { settingWarnings, startWarnings, type Warning } from './start-warnings.js';

/**
 * Runs the service until SIGTERM, SIGINT or SIGHUP, then shuts it down gracefully. A second SIGTERM or SIGINT exits
 * immediately. Exits with 1 if the service cannot start or did not shut down cleanly. The log goes to `stdout`, text
 * for people to `stderr`.
 */
export async function runServer({ env, stdout, stderr, clock, signals }: CommandContext): Promise<number> {
  const print = (text: string) => void stderr.write(`${text}\n`);
  let log: ServiceLog | undefined;
  let exitCode = 1;
  try {
    const contract = await readContract(contractUrl);
    const config = readConfig(env, contract.document);
    const redactor = new KeyRedactor(contract.document);
    const destination = await openStdout(stdout.isTTY === true);
    log = openLog({ level: config.logLevel, destination, clock, redactor });
    signals.once('uncaughtExceptionMonitor', log.report);
    // Registered before the start: a signal during startup stops the service after startup.
    const stopSignal = firstSignal(signals, (signal) => log?.logger.warn({ signal }, 'exited on second signal'));
    const service = await start(config, { contract, clock, redactor, report: log.report, log }, log, env, print);
    log.logger.info({ signal: await stopSignal }, 'stopping');
    await service.close();
    log.logger.info('stopped');
    exitCode = 0;
  } catch (error) {
    if (error instanceof StartError) print(printable(error.message, '\n'));
    else {
      log?.report(error);
      print(inspect(error));
    }
  }
  await log?.close();
  // Exits even if a dependency has left a handle open.
  signals.exit(exitCode);
  return exitCode;
}

/** Starts the service, creates the first API key, and prints and logs the addresses and warnings. @throws StartError */
function start(
  config: Config,
  dependencies: Dependencies,
  { logger }: ServiceLog,
  env: Environment,
  print: (text: string) => void,
): Promise<Service> {
  return openAll(dependencies.report, async (opened) => {
    const service = opened.add(await createService(config, dependencies));
    const addresses = await service.listen();
    // Only once the service listens: if the start failed, the new key would never be shown.
    const { document } = dependencies.contract;
    const firstKey = await createFirstKey(service, config, document['x-rate-limit-address-plan']);
    const warnings = [
      ...settingWarnings(env),
      ...(await startWarnings(config, service, document, dependencies.clock())),
    ];
    const database = config.databaseUrl && service.stores.location;
    const { version } = document.info;
    const { baseUrl, contractUrl, metricsUrl } = addresses;
    logger.info(
      { version, baseUrl, contractUrl, metricsUrl, dataDirectory: config.dataDirectory, database },
      'started',
    );
    print(startNotice(document.info, addresses, service, config));
    if (firstKey !== undefined && 'key' in firstKey) {
      logger.info({ keyId: firstKey.key.id }, 'first API key created');
      print(firstKeyNotice(firstKey, addresses.ownBaseUrl));
    }
    const keyWarnings = firstKey !== undefined && 'code' in firstKey ? [firstKey] : [];
    for (const { code, text } of [...keyWarnings, ...warnings]) {
      logger.warn({ code }, text);
      print(`Warning: ${code}: ${printable(text)}`);
    }
    return service;
  });
}

/**
 * Creates a key in an empty embedded store, with the plan of clients without a key. On PostgreSQL, every node of a
 * fleet would create one and write it to its log.
 */
async function createFirstKey(
  service: Service,
  { databaseUrl }: Config,
  plan: PlanName,
): Promise<IssuedKey | Warning | undefined> {
  const { stores, apiKeyService } = service;
  if (databaseUrl !== undefined || (await stores.keys.list()).length > 0) return undefined;
  try {
    return await apiKeyService.create({ name: 'first key', plan, limits: undefined, expiresAt: undefined });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const text = 'there is no API key, and none can be stored now. Create one later with `petstore keys create`.';
    return { code: 'api_key_missing', text };
  }
}

function startNotice(
  { title, version }: { readonly title: string; readonly version: string },
  { baseUrl, contractUrl, docsUrl, metricsUrl }: Addresses,
  { stores }: Service,
  { redis }: Config,
): string {
  return [
    `${title} ${version} is at ${baseUrl}`,
    `  Reference ${docsUrl}`,
    `  Contract  ${contractUrl}`,
    `  Data      ${stores.location}`,
    ...(redis === undefined ? [] : [`  Counters  ${redis.description}`]),
    ...(metricsUrl === undefined ? [] : [`  Metrics   ${metricsUrl}`]),
  ].join('\n');
}

function firstKeyNotice({ key, token }: IssuedKey, baseUrl: string): string {
  return `
Created the first API key, on the plan ${key.quota.plan}. It is shown only once:

  ${token}

Try it:

  curl -H "Authorization: Bearer ${token}" ${baseUrl}/pets
`;
}
