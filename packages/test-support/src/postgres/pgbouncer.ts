import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { closeLater } from '../closing.js';
import { freePort } from '../machine/free-port.js';
import { giveToPostgres, postgresOwner } from '../machine/postgres-programs.js';
import { describeUnless, reasonToSkipWithout } from '../requirements.js';
import { type Ending, watchChild } from '../servers/child-process.js';
import { temporaryDirectory } from '../temporary-directory.js';
import { postgresToSkip } from './postgres.js';

/** A suite that needs PostgreSQL and pgbouncer. */
export function describePgBouncer(title: string, suite: (this: Mocha.Suite) => void): void {
  describeUnless(postgresToSkip ?? reasonToSkipWithout('pgbouncer'), title, suite);
}

type Settings = Readonly<Record<string, string | number>>;

/** pgbouncer on a free port, before the database of a URL. It is killed after the test or suite. */
export class PgBouncer {
  private child: ChildProcess | undefined;
  private ended: Promise<Ending> | undefined;
  private readonly directory = temporaryDirectory();

  private constructor(
    private readonly databaseUrl: string,
    private readonly port: number,
  ) {}

  static async start(databaseUrl: string, settings: Settings): Promise<PgBouncer> {
    const bouncer = new PgBouncer(databaseUrl, await freePort());
    giveToPostgres(bouncer.directory);
    closeLater(() => bouncer.stop());
    await bouncer.run(settings);
    return bouncer;
  }

  /** The URL of the database behind it. */
  get url(): string {
    return Object.assign(new URL(this.databaseUrl), { port: String(this.port) }).href;
  }

  /** Stops it at once, with its connections. */
  async stop(): Promise<void> {
    this.child?.kill('SIGTERM');
    await this.ended;
  }

  /** Replaces it by one with other settings. @param target the port of PostgreSQL, if it is another one. */
  async restart(settings: Settings, target?: number): Promise<void> {
    await this.stop();
    await this.run(settings, target);
  }

  private async run(settings: Settings, target = Number(new URL(this.databaseUrl).port)): Promise<void> {
    const { username, password } = new URL(this.databaseUrl);
    const [users, file] = ['users.txt', 'pgbouncer.ini'].map((name) => join(this.directory, name)) as [string, string];
    writeFileSync(users, `"${username}" "${decodeURIComponent(password)}"\n`);
    const own = { listen_addr: '127.0.0.1', listen_port: this.port, unix_socket_dir: '' };
    const all = { ...own, auth_type: 'scram-sha-256', auth_file: users, ...settings };
    const lines = Object.entries(all).map(([name, value]) => `${name} = ${String(value)}\n`);
    writeFileSync(file, `[databases]\n* = host=127.0.0.1 port=${String(target)}\n[pgbouncer]\n${lines.join('')}`);
    const child = spawn('pgbouncer', [file], { ...postgresOwner, stdio: ['ignore', 'ignore', 'pipe'] });
    this.child = child;
    this.ended = watchChild(child);
    let log = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
    while (!/ process up: /.test(log)) {
      await Promise.race([once(child.stderr, 'data'), this.ended]);
      if (child.exitCode !== null) throw new Error(`pgbouncer ended: ${log}`);
    }
  }
}
