import type { ApiKeyService } from '../api-keys/api-key-service.js';
import { type Config, readConfig } from '../config.js';
import type { ContractSource } from '../openapi/load-contract.js';
import type { Stores } from '../service/open-stores.js';
import type { CommandContext } from './context.js';

/** One run of the command line. */
export interface Invocation {
  readonly context: CommandContext;
  readonly contract: ContractSource;
  /** What the run ends with, unless it throws. */
  exitCode: number;
  /** What it ends with if nobody reads its answer: a failure for what cannot be seen again, or was cut short. */
  exitCodeUnread: number;
}

/** What commands work on; open while they do. */
export interface Opened {
  readonly config: Config;
  readonly stores: Stores;
  readonly apiKeyService: ApiKeyService;
}

/** Opens the stores beside a server that may be running, and closes them whatever happens. @throws StartError */
export async function withStores<T>(
  { context, contract }: Invocation,
  work: (opened: Opened) => Promise<T>,
): Promise<T> {
  // Loaded here, because most of the service hangs on it, and help and complaints need none of that.
  const { createApiKeyService, openStores } = await import('../service/open-stores.js');
  const config = readConfig(context.env, contract.document);
  const stores = await openStores(config, 'command');
  try {
    return await work({
      config,
      stores,
      apiKeyService: createApiKeyService(config, stores, { contract, clock: context.clock }),
    });
  } finally {
    await stores.close();
  }
}
