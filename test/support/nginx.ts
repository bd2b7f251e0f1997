import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { temporaryDirectory } from './temporary-directory.js';

const isInstalled = spawnSync('nginx', ['-v']).error === undefined;
const isRequired = (process.env['CI'] ?? '') !== '';
const configuration = new URL('../../../deploy/nginx.conf', import.meta.url);
const running = new Set<ChildProcess>();

if (!isInstalled)
  console.error('\n*** nginx is missing: the tests with a balancer are not run. Debian: apt-get install nginx ***\n');

/** A suite that needs a real balancer. Without the program its tests are pending, and where CI is set they fail. */
export function describeWithNginx(title: string, suite: (this: Mocha.Suite) => void): void {
  if (isInstalled || isRequired) describe(title, suite);
  else describe.skip(title, suite);
}

/** The balancer of `deploy/nginx.conf`, as it stands there but for the addresses: its own, and those of the nodes. */
export class Nginx {
  private said = '';

  private constructor(
    private readonly child: ChildProcess,
    readonly port: number,
  ) {
    running.add(child);
    child.once('exit', () => running.delete(child));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.said += text));
  }

  static async start(nodePorts: readonly number[], port: number): Promise<Nginx> {
    const directory = temporaryDirectory();
    const file = join(directory, 'nginx.conf');
    await writeFile(file, readdressed(await readFile(configuration, 'utf8'), nodePorts, port));
    const options = ['-p', directory, '-c', file, '-e', 'stderr'];
    const nginx = new Nginx(spawn('nginx', options, { stdio: ['ignore', 'ignore', 'pipe'] }), port);
    await nginx.listening();
    return nginx;
  }

  get pid(): number {
    return this.child.pid ?? NaN;
  }

  /** Ends it when the requests that it has are answered. */
  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGQUIT');
    await ended;
  }

  private async listening(): Promise<void> {
    while (!(await accepts(this.port))) {
      if (this.child.exitCode !== null) throw new Error(`nginx ended: ${this.said}`);
      await delay(10);
    }
  }
}

/** @throws if the file does not have a place for each address. */
function readdressed(text: string, nodePorts: readonly number[], port: number): string {
  const ports = [...nodePorts];
  const moved = text
    .replace(/^( *server )[\d.]+:\d+/gm, (_, start: string) => `${start}127.0.0.1:${String(ports.shift())}`)
    .replace(/^( *listen )\d+/m, `$1127.0.0.1:${String(port)}`)
    // One for each processor is for a machine of its own.
    .replace('worker_processes auto', 'worker_processes 2');
  if (ports.length > 0 || moved.includes('undefined')) throw new Error('deploy/nginx.conf has another number of nodes.');
  return moved;
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const accepted = await Promise.race([once(socket, 'connect').then(() => true), once(socket, 'error').then(() => false)]).catch(
    () => false,
  );
  socket.destroy();
  return accepted;
}

process.on('exit', () => {
  // Its workers end with it.
  for (const child of running) child.kill('SIGTERM');
});
