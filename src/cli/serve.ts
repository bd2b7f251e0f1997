import { compose, type Service, type Surroundings } from '../compose.js';
import type { Config } from '../config.js';
import { deprecationOf } from '../contract/deprecation.js';
import { type ContractDocument, operationIdsOf } from '../contract/document.js';
import type { IssuedKey } from '../domain/key-ring.js';
import { dayMs } from '../domain/limits.js';

/** How long before an operation is removed each start warns about it. */
const removalNoticeMs = 90 * dayMs;

export interface Output {
  readonly say: (text: string) => void;
  readonly warn: (text: string) => void;
}

/** Starts the service, says where it is, and gives an empty store its first key. @throws StartError */
export async function serve(config: Config, surroundings: Surroundings, output: Output): Promise<Service> {
  const service = await compose(config, surroundings);
  const { baseUrl, ownBaseUrl, contractUrl } = await service.listen().catch(closeAfter(service));
  // Not before it listens: a key that is made by a start that then fails is never shown, and the next start makes none.
  const firstKey = await createFirstKey(service).catch(closeAfter(service));
  const { document } = surroundings.contract;
  output.say(`${document.info.title} ${document.info.version} is at ${baseUrl}`);
  output.say(`  Contract  ${contractUrl}`);
  output.say(`  Data      ${config.dataDirectory}`);
  if (firstKey !== undefined) output.say(firstKeyNotice(firstKey, ownBaseUrl));
  for (const warning of warningsFor(config, document, surroundings.clock())) output.warn(warning);
  return service;
}

function closeAfter(service: Service): (error: unknown) => Promise<never> {
  return async (error) => {
    await service.close();
    throw error;
  };
}

async function createFirstKey({ stores, keyRing }: Service): Promise<IssuedKey | undefined> {
  if ((await stores.keys.list()).length > 0) return undefined;
  return keyRing.create({ name: 'first key', plan: 'free', limits: undefined, expiresAt: undefined });
}

function firstKeyNotice({ key, token }: IssuedKey, baseUrl: string): string {
  return `
There was no API key yet, so one was made, on the plan ${key.budget.plan}. It is shown this once:

  ${token}

Try it:

  curl -H "Authorization: Bearer ${token}" ${baseUrl}/pets
`;
}

/** Set-ups that run but are probably not meant: each with a code and a cure. */
function warningsFor(config: Config, document: ContractDocument, now: number): string[] {
  const warnings: string[] = [];
  if (config.publicBaseUrl === undefined && !isLoopback(config.host)) {
    warnings.push(
      `public_base_url_unset: links lead to the listener's own address, which clients elsewhere cannot reach. Set PUBLIC_BASE_URL.`,
    );
  }
  for (const id of operationIdsOf(document)) {
    const deprecation = deprecationOf(document, id);
    if (deprecation === undefined || now < deprecation.sunsetAt - removalNoticeMs) continue;
    const days = Math.ceil((deprecation.sunsetAt - now) / dayMs);
    const when = days > 0 ? `will be removed in ${String(days)} days` : 'is removed and answers 410';
    warnings.push(`operation_removal: ${id} ${when}. Clients use ${deprecation.successor} instead.`);
  }
  return warnings;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}
