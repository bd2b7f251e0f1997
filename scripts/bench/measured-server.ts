import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../machine/free-port.js';
import { cpuUsOf, residentMebibytesOf } from '../machine/process-usage.js';
import type { Contestant } from './contestants.js';

/** Timeout of the first response. */
const startTimeoutMs = 15_000;
/** The interval of the attempts, which is the accuracy of `startMs`. */
const retryMs = 5;

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** The path of a file of the project; this module runs from `build/scripts/bench/`. */
export function rootPath(path: string): string {
  return fileURLToPath(new URL(`../../../${path}`, import.meta.url));
}

/** A command that runs on one CPU core, so that servers and clients do not compete. Requires two cores. */
export function pinned(core: 0 | 1, command: string, ...args: readonly string[]): [string, string[]] {
  return ['taskset', ['--cpu-list', String(core), command, ...args]];
}

/** A running server with its own copy of the initial data. It runs on core 0. */
export class MeasuredServer {
  private constructor(
    readonly name: string,
    readonly url: string,
    /** The time from the command to the first response, in milliseconds. */
    readonly startMs: number,
    private readonly directory: string,
    private readonly child: ChildProcess,
  ) {}

  static async start({ name, script, env }: Contestant, directory: string): Promise<MeasuredServer> {
    const port = String(await freePort());
    const url = `http://127.0.0.1:${port}`;
    const startedAt = performance.now();
    const child = spawn(...pinned(0, process.execPath, rootPath(script)), {
      // No other variables: NODE_OPTIONS, for example, would distort the results.
      env: { NODE_ENV: 'production', PORT: port, DATA_DIR: directory, ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    running.add(child);
    child.once('exit', () => running.delete(child));
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
    // With any status.
    const responds = () => fetch(`${url}/v1/pets/1`).then(Boolean, () => false);
    while (!(await responds())) {
      if (child.exitCode !== null || performance.now() - startedAt > startTimeoutMs)
        throw new Error(`${name} does not start: ${errors}`);
      await delay(retryMs);
    }
    return new MeasuredServer(name, url, performance.now() - startedAt, directory, child);
  }

  /** The CPU time that it has used, in microseconds. `taskset` replaces itself with the command. */
  get cpuUs(): number {
    return cpuUsOf(this.child.pid ?? NaN);
  }

  get residentMebibytes(): number {
    return residentMebibytesOf(this.child.pid ?? NaN);
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await ended;
    rmSync(this.directory, { recursive: true });
  }
}
