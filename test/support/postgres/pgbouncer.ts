import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { freePort } from '../../../scripts/machine/free-port.js';
import { giveToPostgres, postgresOwner } from '../../../scripts/machine/postgres-programs.js';
import { describeUnless, reasonToSkipWithout } from '../requirements.js';
import { temporaryDirectory } from '../temporary-directory.js';
import { postgresToSkip } from './postgres.js';
import { password } from './postgres-server.js';

/** Fewer sessions than a store has connections, so that its transactions change sessions. */
const sessionsMax = 3;

/** PgBouncer in transaction mode, in front of a server of the test run. */
export class PgBouncer {
  private constructor(
    private readonly child: ChildProcess,
    private readonly port: number,
  ) {}

  static async before(serverPort: number): Promise<PgBouncer> {
    const directory = temporaryDirectory();
    const port = await freePort();
    const settings = [
      ...[`[databases]`, `* = host=127.0.0.1 port=${String(serverPort)}`, `[pgbouncer]`],
      ...['listen_addr = 127.0.0.1', `listen_port = ${String(port)}`, 'unix_socket_dir =', 'auth_type = scram-sha-256'],
      ...[`auth_file = ${join(directory, 'users')}`, 'pool_mode = transaction', 'max_prepared_statements = 100'],
      ...[`default_pool_size = ${String(sessionsMax)}`, `logfile = ${join(directory, 'log')}`],
    ];
    const file = join(directory, 'pgbouncer.ini');
    writeFileSync(file, `${settings.join('\n')}\n`);
    writeFileSync(join(directory, 'users'), `"petstore" "${password}"\n`);
    giveToPostgres(directory);
    const child = spawn('pgbouncer', ['--quiet', file], { ...postgresOwner, stdio: 'ignore', cwd: directory });
    child.unref();
    running.add(child);
    child.once('exit', () => running.delete(child));
    return new PgBouncer(child, port);
  }

  /** The URL of the same database through PgBouncer. Resolves when it accepts connections. */
  async urlOf(url: string): Promise<string> {
    const pooled = new URL(url);
    pooled.port = String(this.port);
    for (;;) {
      const client = new Client({ connectionString: pooled.href });
      try {
        await client.connect();
        await client.end();
        return pooled.href;
      } catch (error) {
        if (this.child.exitCode !== null) throw new Error('PgBouncer has ended.', { cause: error });
      }
      await delay(20);
    }
  }
}

const running = new Set<ChildProcess>();

process.on('exit', () => {
  for (const child of running) child.kill();
});

/** A suite that needs PgBouncer 1.21 or later, which keeps prepared statements. Debian 12 has an older one. */
export function describePgBouncer(title: string, suite: (this: Mocha.Suite) => void): void {
  const { stdout } = spawnSync('pgbouncer', ['--version'], { encoding: 'utf8' });
  const [, major, minor] = /(\d+)\.(\d+)/.exec(stdout) ?? [];
  const isOld = Number(major) === 1 && Number(minor) < 21;
  const reason = reasonToSkipWithout('pgbouncer') ?? (isOld ? 'PgBouncer is older than 1.21' : undefined);
  describeUnless(postgresToSkip ?? reason, title, suite);
}
