import type { KeyRedactor } from '../api-keys/key-redactor.js';
import { type LogOptions, openLog, openStdout, type ServiceLog } from '../observability/log.js';
import type { CommandContext } from './context.js';

/** Opens the log of a server on stdout, and logs an uncaught exception. */
export async function openCommandLog(
  { stdout, clock, signals }: CommandContext,
  level: LogOptions['level'],
  redactor: KeyRedactor,
): Promise<ServiceLog> {
  const log = openLog({ level, destination: await openStdout(stdout.isTTY === true), clock, redactor });
  signals.once('uncaughtExceptionMonitor', log.report);
  return log;
}
