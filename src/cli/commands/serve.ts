import type { Logger } from 'pino';
import type { IssuedKey } from '../../api-keys/api-key-service.js';
import type { Config } from '../../config.js';
import { ApiError } from '../../openapi/api-error.js';
import { createService, type Dependencies, type Service } from '../../service/create-service.js';
import { printable } from '../output/printable.js';
import { startWarnings, type Warning } from './start-warnings.js';

/**
 * Starts the service, says where it is, in words and in the log, and gives an empty store its first key. @throws
 * StartError
 */
export async function serve(
  config: Config,
  dependencies: Dependencies,
  logger: Logger,
  say: (text: string) => void,
): Promise<Service> {
  const service = await createService(config, dependencies);
  const { baseUrl, ownBaseUrl, contractUrl, metricsUrl } = await service.listen().catch(closeAfter(service));
  // Not before it listens: a key that is made by a start that then fails is never shown, and the next start makes none.
  const firstKey = await createFirstKey(service, config).catch(closeAfter(service));
  const { document } = dependencies.contract;
  const warnings = await startWarnings(config, service, document, dependencies.clock());
  const { title, version } = document.info;
  const database = config.databaseUrl && service.stores.place;
  logger.info({ version, baseUrl, contractUrl, metricsUrl, dataDirectory: config.dataDirectory, database }, 'started');
  say(`${title} ${version} is at ${baseUrl}`);
  say(`  Contract  ${contractUrl}`);
  say(`  Data      ${service.stores.place}`);
  if (config.redis !== undefined) say(`  Counters  ${config.redis.description}`);
  if (metricsUrl !== undefined) say(`  Metrics   ${metricsUrl}`);
  if (firstKey !== undefined && 'key' in firstKey) {
    logger.info({ keyId: firstKey.key.id }, 'first API key created');
    say(firstKeyNotice(firstKey, ownBaseUrl));
  }
  const keyWarnings = firstKey !== undefined && 'code' in firstKey ? [firstKey] : [];
  for (const { code, text } of [...keyWarnings, ...warnings]) {
    logger.warn({ code }, text);
    say(`Warning: ${code}: ${printable(text)}`);
  }
  return service;
}

function closeAfter(service: Service): (error: unknown) => Promise<never> {
  return async (error) => {
    await service.close();
    throw error;
  };
}

/**
 * Only in an embedded store: of several nodes that start on an empty database, each would make a key and put it into
 * its log.
 */
async function createFirstKey(service: Service, { databaseUrl }: Config): Promise<IssuedKey | Warning | undefined> {
  const { stores, apiKeyService } = service;
  if (databaseUrl !== undefined || (await stores.keys.list()).length > 0) return undefined;
  try {
    return await apiKeyService.create({ name: 'first key', plan: 'free', limits: undefined, expiresAt: undefined });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const text = 'there is no API key, and none can be stored now. Create one later with `petstore keys create`.';
    return { code: 'api_key_missing', text };
  }
}

function firstKeyNotice({ key, token }: IssuedKey, baseUrl: string): string {
  return `
There was no API key yet, so one was made, on the plan ${key.quota.plan}. It is shown this once:

  ${token}

Try it:

  curl -H "Authorization: Bearer ${token}" ${baseUrl}/pets
`;
}
