import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { familyOf } from '../../../scripts/machine/process-usage.js';
import { describeUnless, reasonToSkipWithout } from '../requirements.js';
import { temporaryDirectory } from '../temporary-directory.js';

const installed = spawnSync('nginx', ['-v'], { encoding: 'utf8' });
const deploy = new URL('../../../../deploy/', import.meta.url);
const running = new Set<ChildProcess>();

/** A suite that needs nginx. */
export function describeWithNginx(title: string, suite: (this: Mocha.Suite) => void): void {
  describeUnless(reasonToSkipWithout('nginx'), title, suite);
}

/** Whether the installed version supports `deploy/nginx-reload.conf`. */
export const nginxKeepsIdleConnections = isAtLeast(/nginx\/([\d.]+)/.exec(installed.stderr)?.[1] ?? '', [1, 27, 4]);

/** nginx with `deploy/nginx.conf`, in which only the addresses are replaced: its own, and those of the nodes. */
export class Nginx {
  private output = '';

  private constructor(
    private readonly child: ChildProcess,
    readonly port: number,
  ) {
    running.add(child);
    child.once('exit', () => running.delete(child));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.output += text));
  }

  /**
   * @param keepsIdleConnections adds `deploy/nginx-reload.conf`. A stop then waits for clients to close connections.
   * @param limits lower limits of a client address for a test: `deploy/nginx.conf` has `5000r/s`, `2000` and `500`.
   */
  static async start(
    nodePorts: readonly number[],
    port: number,
    keepsIdleConnections = false,
    limits = { rate: '5000r/s', burst: 2000, connections: 500 },
  ): Promise<Nginx> {
    const directory = temporaryDirectory();
    const file = join(directory, 'nginx.conf');
    const text = readdressed(await readFile(new URL('nginx.conf', deploy), 'utf8'), nodePorts, port);
    await writeFile(file, limited(text, limits));
    if (keepsIdleConnections) {
      await mkdir(join(directory, 'nginx.d'));
      await copyFile(new URL('nginx-reload.conf', deploy), join(directory, 'nginx.d/reload.conf'));
    }
    const options = ['-p', directory, '-c', file, '-e', 'stderr'];
    const nginx = new Nginx(spawn('nginx', options, { stdio: ['ignore', 'ignore', 'pipe'] }), port);
    await nginx.listening();
    return nginx;
  }

  get pid(): number {
    return this.child.pid ?? NaN;
  }

  /** Reloads its configuration. Resolves when new workers have replaced the old ones. */
  async reload(): Promise<void> {
    const workers = familyOf(this.pid).slice(1);
    this.child.kill('SIGHUP');
    // The title of a process shows that a worker is shutting down.
    while (!workers.every((pid) => /shutting down|^$/.test(titleOf(pid)))) await delay(10);
  }

  /** Stops it gracefully, after the responses in progress. */
  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGQUIT');
    await ended;
  }

  private async listening(): Promise<void> {
    while (!(await accepts(this.port))) {
      if (this.child.exitCode !== null) throw new Error(`nginx ended: ${this.output}`);
      await delay(10);
    }
  }
}

/** @throws if the file lacks one of the addresses. */
function readdressed(text: string, nodePorts: readonly number[], port: number): string {
  const ports = [...nodePorts];
  const moved = text
    .replace(/^( *server )[\d.]+:\d+/gm, (_, start: string) => `${start}127.0.0.1:${String(ports.shift())}`)
    .replace(/^( *listen )\d+/m, `$1127.0.0.1:${String(port)}`)
    // The configured one worker per processor is too much for a shared machine.
    .replace('worker_processes auto', 'worker_processes 2');
  if (ports.length > 0 || moved.includes('undefined'))
    throw new Error('deploy/nginx.conf has another number of nodes.');
  return moved;
}

/** @throws if the file lacks the limits of a client address. */
function limited(text: string, limits: { rate: string; burst: number; connections: number }): string {
  const places = [/(rate=)1000r\/s/, /(burst=)2000/, /(limit_conn connections )256/];
  if (!places.every((place) => place.test(text))) throw new Error('deploy/nginx.conf has other limits.');
  const values = [limits.rate, limits.burst, limits.connections].map(String);
  return places.reduce((changed, place, index) => changed.replace(place, `$1${values[index] ?? ''}`), text);
}

function isAtLeast(version: string, [major = 0, minor = 0, patch = 0]: readonly number[]): boolean {
  const [ownMajor = 0, ownMinor = 0, ownPatch = 0] = version.split('.').map(Number);
  const difference = ownMajor - major || ownMinor - minor || ownPatch - patch;
  return difference >= 0;
}

/** Empty for a process that has ended. */
function titleOf(pid: number): string {
  try {
    return readFileSync(`/proc/${String(pid)}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const accepted = await Promise.race([
    once(socket, 'connect').then(() => true),
    once(socket, 'error').then(() => false),
  ]).catch(() => false);
  socket.destroy();
  return accepted;
}

process.on('exit', () => {
  // Its workers exit with it.
  for (const child of running) child.kill('SIGTERM');
});
