import { KeyRedactor } from '../api-keys/key-redactor.js';
import type { Config } from '../config.js';
import type { Report } from '../http/errors.js';
import type { Clock } from '../lib/clock.js';
import { OutageNotice } from '../lib/storage-notice.js';
import { type Log, openLog } from '../observability/log.js';
import type { LogOutput, LogStream } from '../observability/log-output.js';
import type { ContractSource } from '../openapi/load-contract.js';

/** What the operator reads of a service. */
export interface OperatorLog {
  readonly lines: Log;
  readonly output: LogOutput;
  readonly report: Report;
}

/** Opens the log of a service. No line of it holds an API key. */
export function openOperatorLog(
  { logLevel }: Config,
  { document }: ContractSource,
  clock: Clock,
  stream: LogStream,
): OperatorLog {
  const redactor = new KeyRedactor(document);
  const { log, output } = openLog({ level: logLevel, stream, clock, redact: (text) => redactor.redact(text) });
  return { lines: log, output, report: reportTo(log) };
}

function reportTo(log: Log): Report {
  return (told, requestId) => {
    // The end of an outage has the level of its start, so that no LOG_LEVEL shows one without the other.
    if (told instanceof OutageNotice)
      log.warn({ detail: told.message }, told.isOver ? 'storage recovered' : 'storage trouble');
    else log.error({ requestId, err: told }, 'defect');
  };
}
