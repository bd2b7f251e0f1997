import { once } from 'node:events';
import type { Clock } from '@contract-server/core/lib/clock.js';
import { type Report, StoreEvent } from '@contract-server/core/lib/errors.js';
import { printable } from '@contract-server/core/lib/printable.js';
import { type DestinationStream, type LevelWithSilent, type Logger, pino, stdSerializers } from 'pino';
import type { PrettyOptions } from 'pino-pretty';
import { withTimeout } from '../lib/timeout.js';

/** How long `close` waits for the reader of the log, in milliseconds. */
const closeTimeoutMs = 1000;
/** Maximum number of bytes that wait for a slow reader; further lines are dropped. */
const bufferedBytesMax = 16 * 1024 * 1024;

/** The log of a service: one line of JSON per event (https://getpino.io). */
export interface ServiceLog {
  readonly logger: Logger;
  readonly report: Report;
  /** Resolves when every line has been written, or after a second. Never rejects. */
  close(): Promise<void>;
}

/** A destination of pino, or a stream of Node. */
type LogDestination = DestinationStream & NodeJS.EventEmitter & { end(): unknown; destroy(): unknown };

export interface LogOptions {
  readonly level: LevelWithSilent;
  readonly destination: LogDestination;
  readonly clock: Clock;
  /** Removes API keys from text. */
  readonly redactor: { redact(text: string): string };
  /** Whether the destination prints the values of lines, which undoes the escapes of JSON. Default: false. */
  readonly isParsed?: boolean;
}

/** Opens the log. Every line is redacted and printable, whatever values it contains. */
export function openLog({ level, destination, clock, redactor, isParsed = false }: LogOptions): ServiceLog {
  const format = isParsed ? keepEscapes : (line: string) => line;
  const logger: Logger = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date(clock()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: stdSerializers.errWithCause },
      hooks: { streamWrite: (line) => format(printable(redactor.redact(line), '\n')) },
    },
    destination,
  );
  const close = async () => {
    destination.end();
    await withTimeout(once(destination, 'close'), closeTimeoutMs).catch(() => undefined);
    // Otherwise pino writes what is left when the process exits, and waits for a stopped reader forever.
    destination.destroy();
  };
  return { logger, report: reportTo(logger), close };
}

/** Makes the escapes of characters in a line of JSON text of its values. */
function keepEscapes(line: string): string {
  return line.replace(/\\([\\u])/g, (escape, character) => (character === 'u' ? `\\${escape}` : escape));
}

/** Reports internal errors and outages to a logger. */
export function reportTo(logger: Pick<Logger, 'warn' | 'error'>): Report {
  return (error, requestId) => {
    // Both ends of an outage have the same level, so that no LOG_LEVEL shows one without the other.
    if (error instanceof StoreEvent) logger.warn({ detail: error.message }, error.kind);
    else logger.error({ requestId, err: error }, 'internal error');
  };
}

/** A logger that discards every line. */
export const silentLogger: Logger = pino({ level: 'silent' }, { write: () => undefined });

/** A logger that prints lines of JSON to stderr, for applications that pass none. Each line is printable. */
export function stderrLogger(destination: DestinationStream = pino.destination(2)): Logger {
  const hooks = { streamWrite: (line: string) => printable(line, '\n') };
  return pino({ base: null, serializers: { err: stdSerializers.errWithCause }, hooks }, destination);
}

/**
 * Opens stdout for the log: JSON for programs, coloured lines for a terminal. Lines are written in the background, and
 * the rest of them when the process exits. The service continues if stdout is closed or its disk is full.
 */
export async function openStdout(isTerminal: boolean): Promise<LogDestination> {
  const destination = isTerminal
    ? (await import('pino-pretty')).build(prettyOptions) // loaded only for terminals
    : pino.destination({ dest: 1, sync: false, maxLength: bufferedBytesMax });
  return destination.on('error', () => undefined);
}

/** For terminals: coloured, a request in one line, for example `request GET listBooks 200 3.125 ms`. */
const prettyOptions: PrettyOptions = {
  colorize: true,
  destination: 1,
  singleLine: true,
  translateTime: 'SYS:HH:MM:ss',
  ignore: 'method,operationId,path,status,durationMs',
  messageFormat:
    '{msg}{if method} {method} {operationId}{path}{end}{if status} {status}{end}{if durationMs} {durationMs} ms{end}',
};
