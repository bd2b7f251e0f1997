import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { settings } from '#src/config.js';
import type { Ending } from './server-process.js';

const petstore = fileURLToPath(import.meta.resolve('#src/cli/petstore.js'));
const running = new Set<ChildProcess>();

/** The real command, `petstore mock`, with the settings of the test only. */
export class MockProcess {
  stdout = '';
  stderr = '';
  readonly ended: Promise<Ending>;
  private readonly child: ChildProcess;

  /** @param command the script and its first arguments. */
  constructor(
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
    command: readonly string[] = [petstore, 'mock'],
  ) {
    const unset = Object.fromEntries(Object.values(settings).map(({ name }) => [name, '']));
    this.child = spawn(process.execPath, [...command, ...args], {
      env: { ...process.env, ...unset, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.add(this.child);
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    this.ended = once(this.child, 'close').then(([code, signal]) => {
      running.delete(this.child);
      return { code: code as number | null, signal: signal as NodeJS.Signals | null };
    });
  }

  /** Resolves when it has written a text that matches. @throws if it ends before. */
  async writes(stream: 'stdout' | 'stderr', pattern: RegExp): Promise<void> {
    const ended = this.ended.then(() => {
      if (!pattern.test(this[stream]))
        throw new Error(`The mock ended without writing ${String(pattern)}: ${this.stderr}`);
    });
    while (!pattern.test(this[stream]))
      await Promise.race([once(this.child[stream] as NodeJS.ReadableStream, 'data'), ended]);
    ended.catch(() => undefined);
  }

  /** Stops it, and resolves with its exit. */
  stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<Ending> {
    this.child.kill(signal);
    return this.ended;
  }
}

process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
