import { type LevelWithSilent, type Logger, pino, stdSerializers } from 'pino';
import { StoreEvent } from '../lib/errors.js';
import { LogOutput, type LogStream } from './log-output.js';

/** The log of a service: one line of JSON per event (https://getpino.io). */
export interface ServiceLog {
  readonly logger: Logger;
  readonly output: LogOutput;
  /** Logs an internal error, with the id of the request that caused it, or a `StoreEvent`. */
  readonly report: (error: unknown, requestId?: string) => void;
}

export interface LogOptions {
  readonly level: LevelWithSilent;
  readonly stream: LogStream;
  readonly clock: () => number;
  /** Removes API keys from text. */
  readonly redactor: { redact(text: string): string };
  /** Formats each line for people; without it, the log is JSON. */
  readonly format?: ((line: string) => string) | undefined;
}

/** Characters that JSON leaves as they are but that could move a cursor, end a line or reorder text on a terminal. */
const unprintable = /[\x7F-\x9F\p{Cs}\u2028\u2029\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;

/** Opens the log. Every line is redacted and printable, whatever values it contains. */
export function openLog({ level, stream, clock, redactor, format = (line) => line }: LogOptions): ServiceLog {
  const output = new LogOutput(stream, (lines) => logger.warn({ lines }, 'log lines dropped'));
  const logger: Logger = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date(clock()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: stdSerializers.errWithCause },
      hooks: { streamWrite: (line) => format(redactor.redact(line).replace(unprintable, escape)) },
    },
    output,
  );
  const report: ServiceLog['report'] = (error, requestId) => {
    // Both ends of an outage have the same level, so that no LOG_LEVEL shows one without the other.
    if (error instanceof StoreEvent) logger.warn({ detail: error.message }, error.kind);
    else logger.error({ requestId, err: error }, 'internal error');
  };
  return { logger, output, report };
}

/** Escapes a character as JSON does (RFC 8259, section 7). */
function escape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
