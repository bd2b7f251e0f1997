import { type ChildProcess, execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { ListeningAddress } from '@contract-server/test-support/clients/raw-connection.js';
import { freePort } from '@contract-server/test-support/machine/free-port.js';
import { familyOf } from '@contract-server/test-support/machine/process-usage.js';
import { describeUnless, reasonToSkipWithout } from '@contract-server/test-support/requirements.js';
import { temporaryDirectory } from '@contract-server/test-support/temporary-directory.js';
import { replaceAll, startProgram } from './program.js';

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
  /** How long it waits for the body of a client: `deploy/nginx.conf` has 25. */
  readonly bodyTimeoutSeconds?: number;
}

/**
 * nginx with `deploy/nginx.conf`, in which only its addresses, limits and one timeout are replaced. It is stopped after
 * the test or suite.
 */
export class Nginx {
  private constructor(
    private readonly child: ChildProcess,
    readonly port: number,
  ) {}

  static async start(nodePorts: readonly number[], options: NginxOptions = {}): Promise<Nginx> {
    const { port = await freePort(), limits = ['5000r/s', 2000, 500], bodyTimeoutSeconds = 25 } = options;
    const [rate, burst, connections] = limits;
    const directory = await createDirectory();
    const text = replaceAll(await readFile(new URL('nginx.conf', deploy), 'utf8'), [
      ...nodePorts.map((node) => [/^( *)server [\d.]+:8080/m, `$1server 127.0.0.1:${String(node)}`] as const),
      [/^( *listen )\d+/m, `$1127.0.0.1:${String(port)}`],
      // The configured one worker per processor is too much for a shared machine.
      [/worker_processes auto/, 'worker_processes 2'],
      [/(rate=)1000r\/s/, `$1${rate}`],
      [/(burst=)2000/, `$1${String(burst)}`],
      [/(limit_conn connections )256/, `$1${String(connections)}`],
      [/(client_body_timeout )25s/, `$1${String(bodyTimeoutSeconds)}s`],
    ]);
    if (options.keepsIdleConnections === true) {
      await mkdir(join(directory, 'nginx.d'));
      await copyFile(new URL('nginx-reload.conf', deploy), join(directory, 'nginx.d/reload.conf'));
    }
    return new Nginx(await run(directory, text, port), port);
  }

  /** Reloads its configuration. Resolves when new workers have replaced the old ones. */
  async reload(): Promise<void> {
    const workers = familyOf(this.child.pid ?? NaN).slice(1);
    this.child.kill('SIGHUP');
    // The title of a process shows that a worker is shutting down.
    while (!workers.every((pid) => /shutting down|^$/.test(titleOf(pid)))) await delay(10);
  }
}

/**
 * nginx with `deploy/nginx-tls.conf`, a new certificate of api.example, and other addresses and timeouts. It is stopped
 * after the test or suite.
 */
export async function startNginxTls(
  nodePort: number,
  { bodyTimeoutSeconds = 25 }: Pick<NginxOptions, 'bodyTimeoutSeconds'> = {},
): Promise<ListeningAddress> {
  const [directory, port] = [await createDirectory(), await freePort()];
  const [certificate, key] = [join(directory, 'fullchain.pem'), join(directory, 'privkey.pem')];
  await promisify(execFile)('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', '/CN=api.example'],
    ...['-addext', 'subjectAltName=DNS:api.example', '-keyout', key, '-out', certificate],
  ]);
  const site = replaceAll(await readFile(new URL('nginx-tls.conf', deploy), 'utf8'), [
    [/listen 443/, `listen 127.0.0.1:${String(port)}`],
    [/\/etc\/letsencrypt\/live\/api\.example/g, directory],
    [/127\.0\.0\.1:8080/, `127.0.0.1:${String(nodePort)}`],
    [/(client_body_timeout )25s/, `$1${String(bodyTimeoutSeconds)}s`],
  ]);
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${name};`);
  const main = `daemon off; pid nginx.pid; events {} http { access_log off; ${paths.join(' ')}\n${site}}`;
  await run(directory, main, port);
  return { port, tls: { ca: await readFile(certificate), servername: 'api.example' } };
}

/** The directory of a configuration, with the file that both include. */
async function createDirectory(): Promise<string> {
  const directory = temporaryDirectory();
  await copyFile(new URL('nginx-errors.conf', deploy), join(directory, 'nginx-errors.conf'));
  return directory;
}

async function run(directory: string, text: string, port: number): Promise<ChildProcess> {
  const file = join(directory, 'nginx.conf');
  await writeFile(file, text);
  return startProgram('nginx', ['-p', directory, '-c', file, '-e', 'stderr'], port);
}

/** Empty for a process that has ended. */
function titleOf(pid: number): string {
  try {
    return readFileSync(`/proc/${String(pid)}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
