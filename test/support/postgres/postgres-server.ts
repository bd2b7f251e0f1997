import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { freePort } from '../../../scripts/machine/free-port.js';
import { giveToPostgres, postgresOwner, postgresPrograms } from '../../../scripts/machine/postgres-programs.js';
import { familyOf } from '../../../scripts/machine/process-usage.js';
import { temporaryDirectory } from '../temporary-directory.js';

/** Something that a URL has to encode, and that no log may show. */
export const password = 'p@ss:w/rd?';
/** The role of the service, which owns its databases and nothing else, and that of whoever runs the server. */
const role = 'petstore';
const administrator = 'postgres';

/**
 * A server of the test run's own: on a free port, in a temporary directory, with `fsync` on. A test may stop, pause and
 * kill it.
 */
export class PostgresServer {
  private child: ChildProcess | undefined;
  private ended: Promise<void> = Promise.resolve();
  private databases = 0;

  private constructor(
    private readonly folder: string,
    private readonly directory: string,
    readonly port: number,
  ) {}

  static async create(): Promise<PostgresServer> {
    if (postgresPrograms === undefined) throw new Error('The programs of PostgreSQL are missing.');
    const directory = temporaryDirectory();
    const server = new PostgresServer(postgresPrograms, directory, await freePort());
    giveToPostgres(directory);
    server.initialize();
    await server.start();
    await server.query(`CREATE ROLE ${role} LOGIN PASSWORD '${password}'`);
    return server;
  }

  /** The URL of an empty database of a test's own. */
  async createDatabase(options = ''): Promise<string> {
    this.databases += 1;
    const name = `test_${String(this.databases)}`;
    await this.query(`CREATE DATABASE ${name} OWNER ${role} TEMPLATE template0 ${options}`);
    return this.url(role, name);
  }

  /** A connection of the administrator's, to the database of a URL. Whoever opens it ends it. */
  async connect(url = this.url(administrator, 'postgres')): Promise<Client> {
    const client = new Client({ connectionString: url.replace(`//${role}:`, `//${administrator}:`) });
    // A test that stops the server needs no event to know.
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  /** Runs statements as the administrator. */
  async query<Row extends object>(sql: string, url?: string): Promise<Row[]> {
    const client = await this.connect(url);
    try {
      return (await client.query<Row>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  /** Starts it and waits until it answers. @param settings are those of the server, as `name=value`. */
  async start(settings: readonly string[] = []): Promise<void> {
    const own = [
      ...['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'log_min_messages=warning'],
      // After a crash it brings every file to disk; with the databases of many tests one by one takes seconds.
      'recovery_init_sync_method=syncfs',
      ...settings,
    ];
    const log = openSync(join(this.directory, 'log'), 'a');
    const child = spawn(
      join(this.folder, 'postgres'),
      ['-D', this.dataDirectory, '-p', String(this.port), ...own.flatMap((setting) => ['-c', setting])],
      { ...postgresOwner, stdio: ['ignore', log, log], cwd: this.directory },
    );
    this.child = child;
    this.ended = new Promise((resolve) => child.once('exit', () => resolve()));
    running.add(this);
    child.once('exit', () => running.delete(this));
    // The run ends when its tests do, and the server with it.
    child.unref();
    await this.responses();
  }

  /** Resolves once statements are answered. @throws if the server has ended. */
  async responses(): Promise<void> {
    for (;;) {
      try {
        await this.query('SELECT 1');
        return;
      } catch (error) {
        if (this.child?.exitCode !== null) throw new Error(`PostgreSQL has ended: ${this.log}`, { cause: error });
      }
      await delay(20);
    }
  }

  /** Ends every connection, then the server, in good order. */
  async stop(): Promise<void> {
    this.child?.kill('SIGINT');
    await this.ended;
  }

  /** Ends every process of it at once, as a power cut does. */
  async crash(): Promise<void> {
    const pids = this.pids;
    for (const pid of pids) signal(pid, 'SIGKILL');
    await this.ended;
    while (pids.some(isRunning)) await delay(5);
  }

  /** Lets every process stand still: what is open stays open, and nothing is answered. */
  pause(): void {
    for (const pid of this.pids) signal(pid, 'SIGSTOP');
  }

  resume(): void {
    for (const pid of this.pids) signal(pid, 'SIGCONT');
  }

  get pid(): number {
    return this.child?.pid ?? NaN;
  }

  get log(): string {
    return readFileSync(join(this.directory, 'log'), 'utf8');
  }

  /** At the end of the run, when nothing can be waited for. */
  abandon(): void {
    for (const pid of this.pids) signal(pid, 'SIGKILL');
  }

  private url(user: string, database: string): string {
    return `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${String(this.port)}/${database}`;
  }

  /** The first process and those that serve connections, each of which is a process group of its own. */
  private get pids(): number[] {
    const first = this.child?.pid;
    return first === undefined ? [] : familyOf(first);
  }

  private get dataDirectory(): string {
    return join(this.directory, 'data');
  }

  private initialize(): void {
    const passwordFile = join(this.directory, 'password');
    writeFileSync(passwordFile, `${password}\n`);
    const options = [
      '--auth=scram-sha-256',
      `--username=${administrator}`,
      `--pwfile=${passwordFile}`,
      '--encoding=UTF8',
      '--locale=C.UTF-8',
      '--no-sync',
    ];
    const { status, stderr } = spawnSync(join(this.folder, 'initdb'), ['-D', this.dataDirectory, ...options], {
      ...postgresOwner,
      encoding: 'utf8',
      cwd: this.directory,
    });
    if (status !== 0) throw new Error(`initdb failed: ${stderr}`);
  }
}

const running = new Set<PostgresServer>();

process.on('exit', () => {
  for (const server of running) server.abandon();
});

/** Signals a process that may have ended. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Whoever was killed may remain as an entry that nobody has looked at. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${String(pid)}/status`, 'utf8'));
  } catch {
    return false;
  }
}
