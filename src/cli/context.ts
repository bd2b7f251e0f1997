import type { Readable, Writable } from 'node:stream';
import { inspect } from 'node:util';
import type { KeyRedactor } from '../api-keys/key-redactor.js';
import type { Clock } from '../lib/clock.js';
import { StoreEvent } from '../lib/errors.js';
import { type LogOptions, openLog, openStdout, type ServiceLog } from '../observability/log.js';
import { printable } from './output/format.js';

/** The parts of the process that commands use; tests pass their own. */
export interface CommandContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable & { readonly isTTY?: boolean };
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
  // A reader may close the pipe (`petstore pets export | head`). Commands handle the error of their write; the error
  // event must not end the process with a stack trace.
  for (const output of [stdout, stderr]) output.on('error', () => undefined);
  return {
    env,
    // Node opens the standard input on the first access, and most commands do not need it.
    get stdin() {
      return process.stdin;
    },
    stdout,
    stderr,
    clock: Date.now,
    signals: process,
  };
}

/**
 * Resolves with the first signal that stops the process. A second signal exits immediately, except for SIGHUP, which a
 * terminal that closes may send twice.
 */
export function firstSignal(signals: Signals, onSecond?: (signal: Signal) => void): Promise<Signal> {
  return new Promise((resolve) => {
    let isStopping = false;
    const listen = (signal: Signal) => {
      signals.once(signal, () => {
        if (isStopping && signal !== 'SIGHUP') {
          onSecond?.(signal);
          signals.exit(1);
        }
        isStopping = true;
        resolve(signal);
        listen(signal);
      });
    };
    for (const signal of stopSignals) listen(signal);
  });
}

/** Prints outages, and internal errors with their stacks, so that they can be reported. */
export function reportTo({ stderr }: CommandContext): (event: unknown) => void {
  return (event) => void stderr.write(`${event instanceof StoreEvent ? printable(event.message) : inspect(event)}\n`);
}

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

/**
 * Resolves when the stream has taken the text, so that a slow reader slows the command down. Rejects if it is closed.
 */
export function write(output: Output, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    output.write(text, (error) => {
      if (error) reject(error);
      else resolve();
    });
  });
}
