import { inspect } from 'node:util';
import { readConfig } from '../../config.js';
import { StartError } from '../../lib/start-error.js';
import { contractUrl, readContract } from '../../openapi/load-contract.js';
import { type OperatorLog, openOperatorLog } from '../../service/operator-log.js';
import { type CommandContext, contextOf, type Signals } from '../context.js';
import { firstSignal } from '../first-signal.js';
import { printable } from '../output/printable.js';
import { serve } from './serve.js';

/** Runs the service as a program of its own: see `runServer`. */
export async function run(process: NodeJS.Process): Promise<void> {
  // Nobody may be reading the words any more; the service goes on.
  process.stderr.on('error', () => undefined);
  await runServer(contextOf(process));
}

/**
 * Runs the service until SIGTERM, SIGINT or SIGHUP, then finishes what is in flight. A second SIGTERM or SIGINT ends
 * the process at once. Exits, and resolves, with the exit code: 1 if the service cannot start or cannot stop properly.
 * Words for people go to `stderr`, the log to `stdout`.
 */
export async function runServer({ env, stdout, stderr, clock, signals }: CommandContext): Promise<number> {
  const say = (text: string) => void stderr.write(`${text}\n`);
  let log: OperatorLog | undefined;
  let exitCode = 1;
  try {
    const contract = await readContract(contractUrl);
    const config = readConfig(env, contract.document);
    log = openOperatorLog(config, contract, clock, stdout);
    keepLastWords(log, signals);
    // Listened for from the first moment on: a service that is told to stop while it starts stops as soon as it has
    // started.
    const told = firstSignal(signals, (signal) => log?.lines.warn({ signal }, 'ended at once'));
    const service = await serve(config, { contract, clock, report: log.report, log }, log, say);
    log.lines.info({ signal: await told }, 'stopping');
    await service.close();
    log.lines.info('stopped');
    exitCode = 0;
  } catch (error) {
    if (error instanceof StartError) say(printable(error.message, '\n'));
    else {
      log?.report(error);
      say(inspect(error));
    }
  }
  await log?.output.close();
  // A handle that a dependency has left open would keep the process alive.
  signals.exit(exitCode);
  return exitCode;
}

/** However the process ends, what led to it is in the log. */
function keepLastWords({ report, output }: OperatorLog, signals: Signals): void {
  signals.once('uncaughtExceptionMonitor', (error) => report(error));
  signals.once('exit', () => output.flush());
}
