import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../lib/clock.js';

/**
 * What a command may touch of the process that it runs in. `process` has all of it but the clock; a test passes its
 * own.
 */
export interface CommandContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Readable;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly clock: Clock;
  readonly signals: Signals;
}

/** A stream of text, and what is known of the terminal behind it, if one is. */
export type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** The signals that end a command in good order. */
export const stopSignals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

export type Signal = (typeof stopSignals)[number];

/** Where the signals of the operating system arrive, and the end of the process is announced. */
export interface Signals {
  once(event: Signal | 'exit' | 'uncaughtExceptionMonitor', listener: (error?: unknown) => void): unknown;
  exit(code: number): void;
}

export function contextOf(process: NodeJS.Process): CommandContext {
  const { env, stdout, stderr } = process;
  return {
    env,
    // Node opens the standard input when it is first asked for, and most commands never ask.
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
 * Writes text and resolves once it has been taken over, so that a slow reader slows the writer down. Rejects if nobody
 * reads.
 */
export function write(output: Output, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    output.write(text, (error) => {
      if (error) reject(error);
      else resolve();
    });
  });
}

/** Writes one value for programs. */
export function writeJson(output: Output, value: unknown): Promise<void> {
  return write(output, `${JSON.stringify(value, undefined, 2)}\n`);
}
