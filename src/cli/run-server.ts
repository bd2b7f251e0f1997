import { readConfig } from '../config.js';
import { contractUrl, readContract } from '../contract/document.js';
import { StartError } from '../domain/start-error.js';
import { serve } from './serve.js';

/**
 * Runs the service until SIGTERM or SIGINT, then finishes what is in flight. A second signal ends the process at once. The exit code is
 * 1 if the service cannot start or cannot stop properly.
 */
export async function run(process: NodeJS.Process): Promise<void> {
  const report = (error: unknown) => console.error(error);
  try {
    const contract = await readContract(contractUrl);
    const config = readConfig(process.env, contract.document);
    const output = { say: console.log, warn: (text: string) => console.warn(`Warning: ${text}`) };
    const service = await serve(config, { contract, clock: Date.now, report }, output);
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.once(signal, () => {
        process.once(signal, () => process.exit(1));
        service.close().catch((error: unknown) => {
          report(error);
          process.exitCode = 1;
        });
      });
    }
  } catch (error) {
    console.error(error instanceof StartError ? error.message : error);
    process.exitCode = 1;
  }
}
