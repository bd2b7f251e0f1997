import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { closeLater } from '#contract-server-test/support/closing.js';
import { freePort } from '#contract-server-test/support/machine/free-port.js';
import { familyOf } from '#contract-server-test/support/machine/process-usage.js';
import { describeUnless, reasonToSkipWithout } from '#contract-server-test/support/requirements.js';
import { watchChild } from '#contract-server-test/support/servers/child-process.js';
import { isListening } from '#contract-server-test/support/servers/is-listening.js';
import { temporaryDirectory } from '#contract-server-test/support/temporary-directory.js';

const installed = spawnSync('nginx', ['-v'], { encoding: 'utf8' });
const deploy = new URL('../../../../deploy/', import.meta.url);

/** A suite that needs nginx. */
export function describeWithNginx(title: string, suite: (this: Mocha.Suite) => void): void {
  describeUnless(reasonToSkipWithout('nginx'), title, suite);
}

/** Whether the installed version, 1.27.4 or newer, supports `deploy/nginx-reload.conf`. */
export const nginxKeepsIdleConnections =
  (/nginx\/([\d.]+)/.exec(installed.stderr)?.[1] ?? '').localeCompare('1.27.4', 'en', { numeric: true }) >= 0;

export interface NginxOptions {
  readonly port?: number;
  /** Adds `deploy/nginx-reload.conf`. */
  readonly keepsIdleConnections?: boolean;
  /** Limits of a client address: `deploy/nginx.conf` has `1000r/s`, `2000` and `256`. */
  readonly limits?: readonly [rate: string, burst: number, connections: number];
}

/**
 * nginx with `deploy/nginx.conf`, in which only its addresses and limits are replaced. It is stopped after the test or
 * suite.
 */
export class Nginx {
  private output = '';

  private constructor(
    private readonly child: ChildProcess,
    readonly port: number,
  ) {
    const ended = watchChild(child);
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.output += text));
    closeLater(async () => {
      // Its workers exit with it.
      child.kill('SIGTERM');
      await ended;
    });
  }

  static async start(nodePorts: readonly number[], options: NginxOptions = {}): Promise<Nginx> {
    const { port = await freePort(), keepsIdleConnections = false, limits = ['5000r/s', 2000, 500] } = options;
    const directory = temporaryDirectory();
    const file = join(directory, 'nginx.conf');
    await writeFile(file, configured(await readFile(new URL('nginx.conf', deploy), 'utf8'), nodePorts, port, limits));
    if (keepsIdleConnections) {
      await mkdir(join(directory, 'nginx.d'));
      await copyFile(new URL('nginx-reload.conf', deploy), join(directory, 'nginx.d/reload.conf'));
    }
    const args = ['-p', directory, '-c', file, '-e', 'stderr'];
    const nginx = new Nginx(spawn('nginx', args, { stdio: ['ignore', 'ignore', 'pipe'] }), port);
    while (!(await isListening(port))) {
      if (nginx.child.exitCode !== null) throw new Error(`nginx ended: ${nginx.output}`);
      await delay(10);
    }
    return nginx;
  }

  /** Reloads its configuration. Resolves when new workers have replaced the old ones. */
  async reload(): Promise<void> {
    const workers = familyOf(this.child.pid ?? NaN).slice(1);
    this.child.kill('SIGHUP');
    // The title of a process shows that a worker is shutting down.
    while (!workers.every((pid) => /shutting down|^$/.test(titleOf(pid)))) await delay(10);
  }
}

/** @throws if the file lacks one of the replaced texts. */
function configured(
  text: string,
  nodePorts: readonly number[],
  port: number,
  [rate, burst, connections]: readonly [string, number, number],
): string {
  const replaced: [RegExp, string][] = [
    ...nodePorts.map((node): [RegExp, string] => [/^( *)server [\d.]+:8080/m, `$1server 127.0.0.1:${String(node)}`]),
    [/^( *listen )\d+/m, `$1127.0.0.1:${String(port)}`],
    // The configured one worker per processor is too much for a shared machine.
    [/worker_processes auto/, 'worker_processes 2'],
    [/(rate=)1000r\/s/, `$1${rate}`],
    [/(burst=)2000/, `$1${String(burst)}`],
    [/(limit_conn connections )256/, `$1${String(connections)}`],
  ];
  return replaced.reduce((changed, [pattern, replacement]) => {
    if (!pattern.test(changed)) throw new Error(`deploy/nginx.conf has no ${String(pattern)}.`);
    return changed.replace(pattern, replacement);
  }, text);
}

/** Empty for a process that has ended. */
function titleOf(pid: number): string {
  try {
    return readFileSync(`/proc/${String(pid)}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
