import { compose, type Service, type Surroundings } from '../compose.js';
import type { Config } from '../config.js';
import { deprecationOf } from '../contract/deprecation.js';
import { type ContractDocument, operationIdsOf } from '../contract/document.js';
import type { IssuedKey } from '../domain/key-ring.js';
import { dayMs } from '../domain/limits.js';
import { Refusal } from '../domain/refusal.js';
import type { OperatorLog } from '../operator-log.js';

/** How long before an operation is removed each start warns about it. */
const removalNoticeMs = 90 * dayMs;

/** A set-up that runs but is probably not meant. */
interface Warning {
  readonly code: string;
  /** What is wrong, and its cure. */
  readonly text: string;
}

/** Starts the service, says where it is, in words and in the log, and gives an empty store its first key. @throws StartError */
export async function serve(
  config: Config,
  surroundings: Surroundings,
  { lines }: OperatorLog,
  say: (text: string) => void,
): Promise<Service> {
  const service = await compose(config, surroundings);
  const { baseUrl, ownBaseUrl, contractUrl, metricsUrl } = await service.listen().catch(closeAfter(service));
  // Not before it listens: a key that is made by a start that then fails is never shown, and the next start makes none.
  const firstKey = await createFirstKey(service, config).catch(closeAfter(service));
  const { document } = surroundings.contract;
  const { title, version } = document.info;
  const database = config.databaseUrl && service.stores.place;
  lines.info({ version, baseUrl, contractUrl, metricsUrl, dataDirectory: config.dataDirectory, database }, 'started');
  say(`${title} ${version} is at ${baseUrl}`);
  say(`  Contract  ${contractUrl}`);
  say(`  Data      ${service.stores.place}`);
  if (config.redis !== undefined) say(`  Counters  ${config.redis.description}`);
  if (metricsUrl !== undefined) say(`  Metrics   ${metricsUrl}`);
  if (firstKey !== undefined && 'key' in firstKey) {
    lines.info({ keyId: firstKey.key.id }, 'first key made');
    say(firstKeyNotice(firstKey, ownBaseUrl));
  }
  const keyWarnings = firstKey !== undefined && 'code' in firstKey ? [firstKey] : [];
  const setUpWarnings = [...warningsFor(config, document, surroundings.clock()), ...counterWarnings(config, service)];
  for (const { code, text } of [...keyWarnings, ...setUpWarnings]) {
    lines.warn({ code }, text);
    say(`Warning: ${code}: ${text}`);
  }
  return service;
}

function closeAfter(service: Service): (error: unknown) => Promise<never> {
  return async (error) => {
    await service.close();
    throw error;
  };
}

/** Only in an embedded store: of several nodes that start on an empty database, each would make a key and put it into its log. */
async function createFirstKey(service: Service, { databaseUrl }: Config): Promise<IssuedKey | Warning | undefined> {
  const { stores, keyRing } = service;
  if (databaseUrl !== undefined || (await stores.keys.list()).length > 0) return undefined;
  try {
    return await keyRing.create({ name: 'first key', plan: 'free', limits: undefined, expiresAt: undefined });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const text = 'there is no API key, and none can be stored now. Create one later with `petstore keys create`.';
    return { code: 'api_key_missing', text };
  }
}

function firstKeyNotice({ key, token }: IssuedKey, baseUrl: string): string {
  return `
There was no API key yet, so one was made, on the plan ${key.budget.plan}. It is shown this once:

  ${token}

Try it:

  curl -H "Authorization: Bearer ${token}" ${baseUrl}/pets
`;
}

function warningsFor(config: Config, document: ContractDocument, now: number): Warning[] {
  const warnings: Warning[] = [];
  if (config.publicBaseUrl === undefined && !isLoopback(config.host)) {
    const text = "links lead to the listener's own address, which clients elsewhere cannot reach. Set PUBLIC_BASE_URL.";
    warnings.push({ code: 'public_base_url_unset', text });
  }
  for (const id of operationIdsOf(document)) {
    const deprecation = deprecationOf(document, id);
    if (deprecation === undefined || now < deprecation.sunsetAt - removalNoticeMs) continue;
    const days = Math.ceil((deprecation.sunsetAt - now) / dayMs);
    const when = days > 0 ? `will be removed in ${String(days)} days` : 'is removed and answers 410';
    warnings.push({ code: 'operation_removal', text: `${id} ${when}. Clients use ${deprecation.successor} instead.` });
  }
  return warnings;
}

/** Of animals and counters, one shared and the other not is a set-up for one node alone. */
function counterWarnings({ redis, databaseUrl, dataDirectory }: Config, { counters }: Service): Warning[] {
  const warnings: Warning[] = [];
  if (redis === undefined && databaseUrl !== undefined) {
    const text =
      'Animals and API keys are in PostgreSQL, but each node counts requests by itself. Run one node, or set REDIS_URL.';
    warnings.push({ code: 'counters_local', text });
  }
  if (redis !== undefined && databaseUrl === undefined) {
    const text = `Requests are counted in Redis, but animals and API keys are in ${dataDirectory} on this machine alone. Run one node, set DATABASE_URL, or leave REDIS_URL out.`;
    warnings.push({ code: 'counters_shared_alone', text });
  }
  if (redis !== undefined && counters.isDegraded) {
    const text = `This node counts by itself until Redis can be used at ${redis.description}. Look after Redis, or correct REDIS_URL.`;
    warnings.push({ code: 'redis_unreachable', text });
  }
  return warnings;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}
