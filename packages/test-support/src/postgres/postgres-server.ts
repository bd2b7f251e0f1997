import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { closeLater } from '../closing.js';
import { freePort } from '../machine/free-port.js';
import { giveToPostgres, postgresOwner, postgresPrograms } from '../machine/postgres-programs.js';
import { familyOf } from '../machine/process-usage.js';
import { type Ending, watchChild } from '../servers/child-process.js';
import { temporaryDirectory } from '../temporary-directory.js';

/** A password that a URL has to encode, and that no log may contain. */
export const password = 'p@ss:w/rd?';
/** The role of the service, which only owns its databases, and the superuser. */
const role = 'petstore';
const administrator = 'postgres';

/** Where a process other than the one that started a server finds it. */
export interface PostgresLocation {
  readonly directory: string;
  readonly port: number;
}

/**
 * A server on a free port, in a temporary directory, with `fsync` on. The process that has created it may stop, pause
 * and kill it.
 */
export class PostgresServer {
  private child: ChildProcess | undefined;
  private ended: Promise<Ending> | undefined;
  private databases = 0;

  private constructor(readonly location: PostgresLocation) {}

  /** A new server, which is killed after the test or suite. */
  static async create(): Promise<PostgresServer> {
    const server = await PostgresServer.launch();
    closeLater(() => server.crash());
    return server;
  }

  /** A new server that runs until this process ends. */
  static async launch(): Promise<PostgresServer> {
    const server = new PostgresServer({ directory: temporaryDirectory(), port: await freePort() });
    giveToPostgres(server.location.directory);
    server.initialize();
    await server.start();
    await server.query(`CREATE ROLE "${role}" LOGIN PASSWORD '${password}'`);
    return server;
  }

  /** A server that another process has created: only for its databases. */
  static at(location: PostgresLocation): PostgresServer {
    return new PostgresServer(location);
  }

  get port(): number {
    return this.location.port;
  }

  get log(): string {
    return readFileSync(this.path('log'), 'utf8');
  }

  /** Creates an empty database and returns its URL. */
  async createDatabase(options = ''): Promise<string> {
    this.databases += 1;
    // Each process of a test run has databases of its own.
    const name = `test_${String(process.pid)}${String(this.databases).padStart(4, '0')}`;
    await this.query(`CREATE DATABASE ${name} OWNER "${role}" TEMPLATE template0 ${options}`);
    return this.url(role, name);
  }

  /** A connection of the superuser to the database of a URL. The caller must end it. */
  async connect(url = this.url(administrator, 'postgres')): Promise<Client> {
    const client = new Client({ connectionString: url.replace(`//${role}:`, `//${administrator}:`) });
    // A test that stops the server needs no event.
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  /** Runs statements as the superuser. */
  async query<Row extends object>(sql: string, url?: string): Promise<Row[]> {
    const client = await this.connect(url);
    try {
      return (await client.query<Row>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  /** Starts it and waits until it accepts statements. @param settings of the server, as `name=value`. */
  async start(settings: readonly string[] = []): Promise<void> {
    const own = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'log_min_messages=warning'];
    // After a crash it syncs every file; one by one, that takes seconds with the databases of many tests.
    const all = [...own, 'recovery_init_sync_method=syncfs', ...settings].flatMap((setting) => ['-c', setting]);
    const log = openSync(this.path('log'), 'a');
    this.child = spawn(this.program('postgres'), ['-D', this.path('data'), '-p', String(this.port), ...all], {
      ...postgresOwner,
      stdio: ['ignore', log, log],
      cwd: this.location.directory,
    });
    this.ended = watchChild(this.child);
    // The server must not keep the test run alive.
    this.child.unref();
    while (!(await this.accepts())) await delay(20);
  }

  /** Closes every connection, then stops the server (fast shutdown). */
  async stop(): Promise<void> {
    this.child?.kill('SIGINT');
    await this.ended;
  }

  /** Kills all its processes at once, as a power cut does. */
  async crash(): Promise<void> {
    const pids = this.signal('SIGKILL');
    await this.ended;
    while (pids.some(isRunning)) await delay(5);
  }

  /** Stops every process: connections stay open, and receive no response. */
  pause(): void {
    this.signal('SIGSTOP');
  }

  resume(): void {
    this.signal('SIGCONT');
  }

  private url(user: string, database: string): string {
    return `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${String(this.port)}/${database}`;
  }

  private path(name: string): string {
    return join(this.location.directory, name);
  }

  /** @throws if it is not installed. */
  private program(name: string): string {
    if (postgresPrograms === undefined) throw new Error('The programs of PostgreSQL are missing.');
    return join(postgresPrograms, name);
  }

  private async accepts(): Promise<boolean> {
    try {
      await this.query('SELECT 1');
      return true;
    } catch (error) {
      if (this.child?.exitCode !== null) throw new Error(`PostgreSQL has ended: ${this.log}`, { cause: error });
      return false;
    }
  }

  /** Signals the first process and those of the connections, each of which has its own process group. */
  private signal(name: NodeJS.Signals): number[] {
    const { pid = NaN, exitCode = 0, signalCode } = this.child ?? {};
    const pids = exitCode === null && signalCode === null ? familyOf(pid) : [];
    for (const each of pids) signalIfRunning(each, name);
    return pids;
  }

  private initialize(): void {
    writeFileSync(this.path('password'), `${password}\n`);
    const options = ['--auth=scram-sha-256', `--username=${administrator}`, `--pwfile=${this.path('password')}`];
    const { status, stderr } = spawnSync(
      this.program('initdb'),
      ['-D', this.path('data'), ...options, '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync'],
      { ...postgresOwner, encoding: 'utf8', cwd: this.location.directory },
    );
    if (status !== 0) throw new Error(`initdb failed: ${stderr}`);
  }
}

function signalIfRunning(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** A killed process may remain as a zombie. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${String(pid)}/status`, 'utf8'));
  } catch {
    return false;
  }
}
