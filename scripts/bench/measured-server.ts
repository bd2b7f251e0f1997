import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../machine/free-port.js';
import { cpuUsOf, residentMebibytesOf, systemUsOf } from '../machine/process-usage.js';
import type { Contestant } from './contestants.js';
import { pinned } from './cores.js';
import { rootPath } from './root-path.js';
import { startProcess } from './start-process.js';

/** Timeout of the first response, and the interval of the attempts, which is the accuracy of `startMs`. */
const startTimeoutMs = 15_000;
const pauseMs = 5;

/** A running server with its own copy of the initial data. */
export class MeasuredServer {
  private constructor(
    readonly contestant: Contestant,
    readonly url: string,
    /** The time from the command to the first response, in milliseconds. */
    readonly startMs: number,
    private readonly child: ChildProcess,
  ) {}

  static async start(contestant: Contestant, directory: string, core: number | undefined): Promise<MeasuredServer> {
    const port = String(await freePort());
    // No other variables: NODE_OPTIONS, for example, would distort the results.
    const env = { NODE_ENV: 'production', PORT: port, DATA_DIR: directory, ...contestant.env };
    const [command, args] = pinned(core, process.execPath, [rootPath(contestant.script)]);
    const spawnedAt = performance.now();
    const child = startProcess(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    // The log is read and discarded, as a collector would read it.
    child.stdout?.resume();
    let errors = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (errors += text));
    const url = `http://127.0.0.1:${port}`;
    const deadline = Date.now() + startTimeoutMs;
    while (!(await responds(url))) {
      if (child.exitCode !== null || Date.now() > deadline)
        throw new Error(`${contestant.name} does not start.\n${errors}`);
      await delay(pauseMs);
    }
    return new MeasuredServer(contestant, url, performance.now() - spawnedAt, child);
  }

  /** The used CPU time, in microseconds. */
  get cpuUs(): number {
    return cpuUsOf(this.pid);
  }

  /** The part of it that the kernel used, in microseconds. */
  get systemUs(): number {
    return systemUsOf(this.pid);
  }

  /** The resident memory, in mebibytes. */
  get residentMebibytes(): ReturnType<typeof residentMebibytesOf> {
    return residentMebibytesOf(this.pid);
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await ended;
  }

  /** `taskset` replaces itself with the command, so that both have the same process id. */
  private get pid(): number {
    return this.child.pid ?? NaN;
  }
}

/** Whether the server responds to a request of the API, with any status. */
function responds(url: string): Promise<boolean> {
  return fetch(`${url}/v1/pets/1`).then(
    () => true,
    () => false,
  );
}
