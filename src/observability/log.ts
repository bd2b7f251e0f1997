import { type LevelWithSilent, type Logger, pino, stdSerializers } from 'pino';
import { LogOutput, type LogStream } from './log-output.js';

/** One line of JSON for each thing that an operator may want to know: https://getpino.io. */
export type Log = Logger;

export interface LogOptions {
  readonly level: LevelWithSilent;
  readonly stream: LogStream;
  readonly clock: () => number;
  /** Takes secrets out of text. */
  readonly redact: (text: string) => string;
}

/** Whatever could move a cursor, end a line or reorder text where a log is read, and that JSON leaves as it is. */
const unprintable = /[\x7F-\x9F\p{Cs}\u2028\u2029\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;

/** Opens the log. Whatever a line is made of: it is one line of printable text without a secret. */
export function openLog({ level, stream, clock, redact }: LogOptions): {
  readonly log: Log;
  readonly output: LogOutput;
} {
  const output = new LogOutput(stream, (lines) => log.warn({ lines }, 'log lines dropped'));
  const log: Log = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date(clock()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: stdSerializers.errWithCause },
      hooks: { streamWrite: (line) => redact(line).replace(unprintable, escape) },
    },
    output,
  );
  return { log, output };
}

/** As JSON writes a character that it escapes (RFC 8259, section 7). */
function escape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
