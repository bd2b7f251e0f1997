import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { openStores } from '#contract-server/service/open-stores.js';
import { closeLater } from '#contract-server-test/support/closing.js';
import { issueKey } from '#contract-server-test/support/issue-key.js';
import { type LogLine, parseLines } from '#contract-server-test/support/log-lines.js';
import { type Ending, watchChild } from '#contract-server-test/support/servers/child-process.js';
import { temporaryDirectory } from '#contract-server-test/support/temporary-directory.js';
import { PetClient } from '../clients/pet-client.js';
import { contract, definition, readConfig, settingList } from '../pet-store.js';

/** The script of `npm start`. */
export const mainScript = fileURLToPath(import.meta.resolve('#src/main.js'));
/** The environment of a process that has none of the settings. */
const unset = Object.fromEntries(settingList.map(({ name }) => [name, '']));

export interface ProcessOptions {
  /** The script and its arguments. Default: that of `npm start`. */
  readonly command?: readonly string[];
  /** A file descriptor for the log instead of a pipe that is read. */
  readonly stdout?: number;
  /** A shell command that runs first in the same process, such as `umask` or `ulimit`. */
  readonly setUp?: string;
}

/** The real command on a free port, with the settings of the test only. It is killed after the test or suite. */
export class ServerProcess {
  /** The log. */
  stdout = '';
  /** The text for people. */
  stderr = '';
  readonly ended: Promise<Ending>;
  private readonly child: ChildProcess;

  /** Returns at once; see `listening` and `ended`. */
  constructor(
    env: Readonly<Record<string, string>>,
    { command = [mainScript], stdout, setUp = 'true' }: ProcessOptions = {},
  ) {
    this.child = spawn('sh', ['-c', `${setUp} && exec "$@"`, 'sh', process.execPath, ...command], {
      env: { ...process.env, ...unset, PORT: '0', ...env },
      stdio: ['ignore', stdout ?? 'pipe', 'pipe'],
    });
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    this.ended = watchChild(this.child);
    closeLater(() => this.crash());
  }

  /** Starts a server and waits until it listens. */
  static async start(...args: ConstructorParameters<typeof ServerProcess>): Promise<ServerProcess> {
    const server = new ServerProcess(...args);
    await server.waitForStderr(/ is at http\S+\n/);
    return server;
  }

  get pid(): number {
    return this.child.pid ?? NaN;
  }

  /** The lines of the log. */
  get lines(): LogLine[] {
    return parseLines(this.stdout.slice(0, this.stdout.lastIndexOf('\n') + 1));
  }

  /** The warnings and errors in the log. */
  get alarms(): LogLine[] {
    return this.lines.filter(({ level }) => level !== 'info');
  }

  /** The messages of the starts and ends of outages in the log. */
  get outages(): string[] {
    return this.lines.flatMap(({ detail }) => (typeof detail === 'string' ? [detail] : []));
  }

  get metricsUrl(): string {
    return this.printed(/^ {2}Metrics {3}(http\S+)$/m) ?? '';
  }

  /** Its URL, up to and including the path prefix. */
  get baseUrl(): string {
    return this.printed(/ is at (http\S+)$/m) ?? '';
  }

  get port(): number {
    return Number(new URL(this.baseUrl).port);
  }

  /** The API key that it has created and printed, if any. */
  get firstKey(): string | undefined {
    return this.printed(/^ {2}(pets_\S+)$/m);
  }

  /** Resolves when stderr matches. @throws if it ends before. */
  waitForStderr(pattern: RegExp): Promise<void> {
    return this.waitForOutput('stderr', pattern);
  }

  /** Resolves when the log matches. @throws if it ends before. */
  waitForLog(pattern: RegExp): Promise<void> {
    return this.waitForOutput('stdout', pattern);
  }

  /** Closes the reading end of the log. */
  endReading(): void {
    this.child.stdout?.destroy();
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Kills it. */
  async crash(): Promise<void> {
    this.kill('SIGKILL');
    await this.ended;
  }

  /** Stops it with SIGTERM. @throws if it fails. */
  async stop(): Promise<Ending> {
    this.kill('SIGTERM');
    const ending = await this.ended;
    if (ending.code !== 0) throw new Error(`The server ended with ${JSON.stringify(ending)}: ${this.stderr}`);
    return ending;
  }

  private printed(pattern: RegExp): string | undefined {
    return pattern.exec(this.stderr)?.[1];
  }

  private async waitForOutput(output: 'stdout' | 'stderr', pattern: RegExp): Promise<void> {
    const ended = this.ended.then(() => {
      if (!pattern.test(this[output]))
        throw new Error(`The server ended without the output ${String(pattern)}: ${this.stderr}`);
    });
    while (!pattern.test(this[output]))
      await Promise.race([once(this.child[output] as NodeJS.ReadableStream, 'data'), ended]);
    ended.catch(() => undefined);
  }
}

/** Creates a key with practically no limits, with the command line, also while a server runs. */
export async function createUnlimitedKey(directory: string, databaseUrl = ''): Promise<string> {
  const config = readConfig({ DATA_DIR: directory, DATABASE_URL: databaseUrl }, contract.document);
  const stores = await openStores(config, 'command', {
    definition,
    contract,
    clock: Date.now,
    report: () => undefined,
  });
  const { token } = await issueKey({ stores }, [1_000_000_000, 1_000_000_000]);
  await stores.close();
  return token;
}

/** Starts a server with an empty database, and creates a key with practically no limits. */
export async function startWithKey(env: Readonly<Record<string, string>> = {}, options: ProcessOptions = {}) {
  const directory = temporaryDirectory();
  const server = await ServerProcess.start({ DATA_DIR: directory, ...env }, options);
  const token = await createUnlimitedKey(directory);
  return { directory, server, token, client: new PetClient(server.baseUrl, token) };
}
