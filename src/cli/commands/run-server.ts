import { inspect } from 'node:util';
import { KeyRedactor } from '../../api-keys/key-redactor.js';
import { readConfig } from '../../config.js';
import { StartError } from '../../lib/errors.js';
import { openLog, type ServiceLog } from '../../observability/log.js';
import { contractUrl, readContract } from '../../openapi/load-contract.js';
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
  let log: ServiceLog | undefined;
  let exitCode = 1;
  try {
    const contract = await readContract(contractUrl);
    const config = readConfig(env, contract.document);
    log = openLog({ level: config.logLevel, stream: stdout, clock, redactor: new KeyRedactor(contract.document) });
    keepLastWords(log, signals);
    // Listened for from the first moment on: a service that is told to stop while it starts stops as soon as it has
    // started.
    const told = firstSignal(signals, (signal) => log?.logger.warn({ signal }, 'exited on second signal'));
    const service = await serve(config, { contract, clock, report: log.report, log }, log.logger, say);
    log.logger.info({ signal: await told }, 'stopping');
    await service.close();
    log.logger.info('stopped');
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
function keepLastWords({ report, output }: ServiceLog, signals: Signals): void {
  signals.once('uncaughtExceptionMonitor', (error) => report(error));
  signals.once('exit', () => output.flush());
}
