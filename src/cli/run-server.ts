import { inspect } from 'node:util';
import { readConfig } from '../config.js';
import { contractUrl, readContract } from '../contract/document.js';
import { StartError } from '../domain/start-error.js';
import { StorageNotice } from '../domain/storage-notice.js';
import { type CommandContext, contextOf, type Signals } from './context.js';
import { serve } from './serve.js';
import { printable } from './table.js';

/** Runs the service as a program of its own: see `runServer`. */
export async function run(process: NodeJS.Process): Promise<void> {
  process.exitCode = await runServer(contextOf(process));
}

/**
 * Runs the service until SIGTERM or SIGINT, then finishes what is in flight. A second signal ends the process at once. Resolves with
 * the exit code: 1 if the service cannot start or cannot stop properly.
 */
export async function runServer({ env, stdout, stderr, clock, signals }: CommandContext): Promise<number> {
  const report = (told: unknown) => {
    stderr.write(`${told instanceof StorageNotice ? printable(told.message) : inspect(told)}\n`);
  };
  try {
    const contract = await readContract(contractUrl);
    const config = readConfig(env, contract.document);
    const output = {
      say: (text: string) => void stdout.write(`${text}\n`),
      warn: (text: string) => void stderr.write(`Warning: ${text}\n`),
    };
    // Listened for from the first moment on: a service that is told to stop while it starts stops as soon as it has started.
    const told = firstSignal(signals);
    const service = await serve(config, { contract, clock, report }, output);
    await told;
    await service.close();
    return 0;
  } catch (error) {
    if (error instanceof StartError) stderr.write(`${printable(error.message, '\n')}\n`);
    else report(error);
    return 1;
  }
}

/** Resolves when the process is told to stop. From then on any further signal ends it, whatever it is doing. */
function firstSignal(signals: Signals): Promise<void> {
  return new Promise((resolve) => {
    let isStopping = false;
    const listen = (signal: 'SIGTERM' | 'SIGINT') => {
      signals.once(signal, () => {
        if (isStopping) signals.exit(1);
        isStopping = true;
        resolve();
        listen(signal);
      });
    };
    listen('SIGTERM');
    listen('SIGINT');
  });
}
