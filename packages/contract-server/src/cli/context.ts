import type { Readable, Writable } from 'node:stream';
import type { Clock } from '@contract-server/core/lib/clock.js';
import { printable } from '@contract-server/core/lib/printable.js';
import type { KeyRedactor } from '../log/key-redactor.js';
import { type LogOptions, openLog, openStdout, type ServiceLog } from '../log/log.js';

/** The parts of the process that commands use; tests pass their own. */
export interface CommandContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Node opens the standard input on the first access, and most commands do not need it. */
  readonly stdin: () => Readable & { readonly isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
  readonly clock: Clock;
  readonly signals: Signals;
}

/** A text stream, with the properties of its terminal if it has one. */
export type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** The signals that stop a command gracefully. */
export const stopSignals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

type Signal = (typeof stopSignals)[number];

/** The events of a process, and the function that ends it. */
export interface Signals {
  once(event: Signal | 'exit' | 'uncaughtExceptionMonitor', listener: (error?: unknown) => void): unknown;
  exit(code: number): void;
}

export function contextOf(process: NodeJS.Process): CommandContext {
  const { env, stdout, stderr } = process;
  // A reader may close the pipe (`… export | head`). Commands handle the error of their write; the error
  // event must not end the process with a stack trace.
  for (const output of [stdout, stderr]) output.on('error', () => undefined);
  return { env, stdin: () => process.stdin, stdout, stderr, clock: Date.now, signals: process };
}

/**
 * How long a repeated signal counts as the same one, in milliseconds: npm forwards that of Ctrl+C, which the terminal
 * has already sent to the whole process group.
 */
const forwardedMs = 500;

/**
 * Resolves with the first signal that stops the process. A second signal exits immediately, except for SIGHUP, which a
 * terminal that closes may send twice, and for the same signal within half a second.
 */
export function firstSignal(
  { signals, clock }: Pick<CommandContext, 'signals' | 'clock'>,
  onSecond?: (signal: Signal) => void,
): Promise<Signal> {
  return new Promise((resolve) => {
    let first: { readonly signal: Signal; readonly at: number } | undefined;
    const isSecond = (signal: Signal) =>
      first !== undefined && signal !== 'SIGHUP' && (signal !== first.signal || clock() - first.at >= forwardedMs);
    const listen = (signal: Signal) => {
      signals.once(signal, () => {
        if (isSecond(signal)) {
          onSecond?.(signal);
          signals.exit(1);
        }
        first ??= { signal, at: clock() };
        resolve(signal);
        listen(signal);
      });
    };
    for (const signal of stopSignals) listen(signal);
  });
}

/** Opens the log of a server on stdout, and logs an uncaught exception. */
export async function openCommandLog(
  { stdout, clock, signals }: CommandContext,
  level: LogOptions['level'],
  redactor: KeyRedactor,
): Promise<ServiceLog> {
  const isTerminal = stdout.isTTY === true;
  const log = openLog({ level, destination: await openStdout(isTerminal), isParsed: isTerminal, clock, redactor });
  signals.once('uncaughtExceptionMonitor', log.report);
  return log;
}

/** Prints whole lines, which may contain text of a contract, an argument or a file. Resolves as `write` does. */
export function print(output: Output, text: string): Promise<void> {
  return write(output, printable(text, '\n'));
}

/** Resolves when the stream has taken the text, so that a slow reader slows the command down. Rejects if it closes. */
export function write(output: Output, text: string): Promise<void> {
  return new Promise((resolve, reject) => output.write(text, (error) => (error ? reject(error) : resolve())));
}
