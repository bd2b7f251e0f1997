import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../machine/free-port.js';
import { cpuUsOf, residentMebibytesOf } from '../machine/process-usage.js';
import type { Contestant } from './contestants.js';
import { pinned } from './cores.js';
import { rootPath } from './root-path.js';
import { startProcess } from './start-process.js';

/**
 * How long a server may take to its first answer, and how long until it is asked again, in milliseconds: to that
 * `startMs` is exact.
 */
const startTimeoutMs = 15_000;
const pauseMs = 5;

/** A server that runs, with its own copy of the stage. */
export class MeasuredServer {
  private constructor(
    readonly contestant: Contestant,
    readonly url: string,
    /** How long it took from the command to its first answer, in milliseconds. */
    readonly startMs: number,
    private readonly child: ChildProcess,
  ) {}

  static async start(contestant: Contestant, directory: string, core: number | undefined): Promise<MeasuredServer> {
    const port = String(await freePort());
    // Nothing else of the environment: an option of Node's there would be measured too.
    const env = { NODE_ENV: 'production', PORT: port, DATA_DIR: directory, ...contestant.env };
    const [command, args] = pinned(core, process.execPath, [rootPath(contestant.script)]);
    const spawnedAt = performance.now();
    const child = startProcess(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    // What it logs is read, as a collector would, and thrown away.
    child.stdout?.resume();
    let complaints = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (complaints += text));
    const url = `http://127.0.0.1:${port}`;
    const deadline = Date.now() + startTimeoutMs;
    while (!(await answers(url))) {
      if (child.exitCode !== null || Date.now() > deadline)
        throw new Error(`${contestant.name} does not start.\n${complaints}`);
      await delay(pauseMs);
    }
    return new MeasuredServer(contestant, url, performance.now() - spawnedAt, child);
  }

  /** The CPU time that it has used, in microseconds. */
  get cpuUs(): number {
    return cpuUsOf(this.pid);
  }

  /** What it holds of the machine's memory, in mebibytes. */
  get residentMebibytes(): ReturnType<typeof residentMebibytesOf> {
    return residentMebibytesOf(this.pid);
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await ended;
  }

  /** `taskset` becomes what it starts, so that both have one id. */
  private get pid(): number {
    return this.child.pid ?? NaN;
  }
}

/** Whether a server answers a request of the API, whatever it says. */
function answers(url: string): Promise<boolean> {
  return fetch(`${url}/v1/pets/1`).then(
    () => true,
    () => false,
  );
}
