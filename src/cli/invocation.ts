import type { KeyRing } from '../api-keys/api-key-service.js';
import { type Config, readConfig } from '../config.js';
import type { ContractSource } from '../openapi/load-contract.js';
import type { Stores, Surroundings } from '../service/create-service.js';
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
  readonly keyRing: KeyRing;
}

/** Opens the stores beside a server that may be running, and closes them whatever happens. @throws StartError */
export async function withStores<T>(
  { context, contract }: Invocation,
  work: (opened: Opened) => Promise<T>,
): Promise<T> {
  // Loaded here, because most of the service hangs on it, and help and complaints need none of that.
  const { createKeyRing, openStores } = await import('../service/create-service.js');
  const config = readConfig(context.env, contract.document);
  const report: Surroundings['report'] = (error) => void context.stderr.write(`${String(error)}\n`);
  const stores = await openStores(config, 'command');
  try {
    return await work({
      config,
      stores,
      keyRing: createKeyRing(config, stores, { contract, clock: context.clock, report }),
    });
  } finally {
    await stores.close();
  }
}
