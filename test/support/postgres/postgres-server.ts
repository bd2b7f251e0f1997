import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { freePort } from '../../../scripts/machine/free-port.js';
import { giveToPostgres, postgresOwner, postgresPrograms } from '../../../scripts/machine/postgres-programs.js';
import { familyOf } from '../../../scripts/machine/process-usage.js';
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

  /** A server that another process has created: only for its databases. */
  static at({ directory, port }: PostgresLocation): PostgresServer {
    return new PostgresServer('', directory, port);
  }

  get location(): PostgresLocation {
    return { directory: this.directory, port: this.port };
  }

  /** Creates an empty database and returns its URL. */
  async createDatabase(options = ''): Promise<string> {
    this.databases += 1;
    // Each process of a test run has databases of its own.
    const name = `test_${String(process.pid)}${String(this.databases).padStart(4, '0')}`;
    await this.query(`CREATE DATABASE ${name} OWNER ${role} TEMPLATE template0 ${options}`);
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
    const own = [
      ...['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'log_min_messages=warning'],
      // After a crash it syncs every file; one by one, that takes seconds with the databases of many tests.
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
    // The server must not keep the test run alive.
    child.unref();
    await this.responses();
  }

  /** Resolves when it accepts statements. @throws if the server has ended. */
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

  /** Closes every connection, then stops the server (fast shutdown). */
  async stop(): Promise<void> {
    this.child?.kill('SIGINT');
    await this.ended;
  }

  /** Kills all its processes at once, as a power cut does. */
  async crash(): Promise<void> {
    const pids = this.pids;
    for (const pid of pids) signal(pid, 'SIGKILL');
    await this.ended;
    while (pids.some(isRunning)) await delay(5);
  }

  /** Stops every process: connections stay open, and receive no response. */
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

  /** For the end of the run, when waiting is not possible. */
  abandon(): void {
    for (const pid of this.pids) signal(pid, 'SIGKILL');
  }

  private url(user: string, database: string): string {
    return `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${String(this.port)}/${database}`;
  }

  /** The first process and those of the connections, each of which has its own process group. */
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

/** A killed process may remain as a zombie. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${String(pid)}/status`, 'utf8'));
  } catch {
    return false;
  }
}
