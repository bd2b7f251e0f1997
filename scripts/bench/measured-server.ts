import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Contestant } from './contestants.js';
import { pinned } from './cores.js';
import { rootPath } from './root-path.js';
import { startProcess } from './start-process.js';

/** How long a server may take to its first answer, and how long until it is asked again, in milliseconds. */
const startTimeoutMs = 15_000;
const pauseMs = 50;
/** The unit of the times in /proc, on every Linux. */
const ticksPerSecond = 100;

/** A server that runs, with its own copy of the stage. */
export class MeasuredServer {
  private constructor(
    readonly contestant: Contestant,
    readonly url: string,
    private readonly child: ChildProcess,
  ) {}

  static async start(contestant: Contestant, directory: string, core: number | undefined): Promise<MeasuredServer> {
    const port = String(await freePort());
    // Nothing else of the environment: an option of Node's there would be measured too.
    const env = { NODE_ENV: 'production', PORT: port, DATA_DIR: directory, ...contestant.env };
    const [command, args] = pinned(core, process.execPath, [rootPath(contestant.script)]);
    const child = startProcess(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    // What it logs is read, as a collector would, and thrown away.
    child.stdout?.resume();
    let complaints = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (complaints += text));
    const server = new MeasuredServer(contestant, `http://127.0.0.1:${port}`, child);
    const deadline = Date.now() + startTimeoutMs;
    while (!(await server.answers())) {
      if (child.exitCode !== null || Date.now() > deadline) throw new Error(`${contestant.name} does not start.\n${complaints}`);
      await delay(pauseMs);
    }
    return server;
  }

  /** The CPU time that the process and all that it waited for has used, in microseconds. */
  get cpuUs(): number {
    const stat = readFileSync(`/proc/${String(this.child.pid)}/stat`, 'utf8');
    // The name, in brackets, may hold blanks. The state follows it as the third field; utime, stime, cutime and cstime are the 14th to the 17th.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return (ticks * 1_000_000) / ticksPerSecond;
  }

  private answers(): Promise<boolean> {
    return fetch(this.url).then(
      () => true,
      () => false,
    );
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
