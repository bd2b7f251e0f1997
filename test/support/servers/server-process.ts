import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { readConfig, settings } from '#src/config.js';
import { contractUrl, readContract } from '#src/openapi/load-contract.js';
import { openStores } from '#src/service/open-stores.js';
import { type LogLine, parseLines } from '../log-lines.js';

const main = fileURLToPath(import.meta.resolve('#src/main.js'));
const contract = await readContract(contractUrl);
const limits = { requestsPerMinute: 1_000_000_000, requestsPerDay: 1_000_000_000 };
const running = new Set<ChildProcess>();

/** The exit of a process. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The real command on a free port, with the settings of the test only. */
export class ServerProcess {
  /** The log. */
  stdout = '';
  /** The text for people. */
  stderr = '';
  readonly ended: Promise<Ending>;
  private readonly child: ChildProcess;

  /**
   * Returns at once; see `listening` and `ended`.
   *
   * @param stdout a file descriptor for the log instead of a pipe that is read.
   * @param setUp a shell command that runs first in the same process, such as `umask` or `ulimit`.
   * @param options of `npm start`.
   */
  constructor(
    env: Readonly<Record<string, string>>,
    stdout: 'pipe' | number = 'pipe',
    setUp?: string,
    options: readonly string[] = [],
  ) {
    const unset = Object.fromEntries(Object.values(settings).map(({ name }) => [name, '']));
    const node: [string, ...string[]] = [process.execPath, main, ...options];
    const [program, ...args] = setUp === undefined ? node : ['sh', '-c', `${setUp} && exec "$@"`, 'sh', ...node];
    this.child = spawn(program, args, {
      env: { ...process.env, ...unset, PORT: '0', ...env },
      stdio: ['ignore', stdout, 'pipe'],
    });
    running.add(this.child);
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    this.ended = once(this.child, 'close').then(([code, signal]) => {
      running.delete(this.child);
      return { code: code as number | null, signal: signal as NodeJS.Signals | null };
    });
  }

  /** Starts a server and waits until it listens. */
  static async start(...args: ConstructorParameters<typeof ServerProcess>): Promise<ServerProcess> {
    const server = new ServerProcess(...args);
    await server.listening();
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

  get metricsUrl(): string {
    return /^ {2}Metrics {3}(http\S+)$/m.exec(this.stderr)?.[1] ?? '';
  }

  /** Its URL, up to and including the path prefix. */
  get baseUrl(): string {
    return / is at (http\S+)$/m.exec(this.stderr)?.[1] ?? '';
  }

  /** The API key that it has created and printed, if any. */
  get firstKey(): string | undefined {
    return /^ {2}(pets_\S+)$/m.exec(this.stderr)?.[1];
  }

  get curlLine(): string | undefined {
    return /^ {2}(curl .+)$/m.exec(this.stderr)?.[1];
  }

  /** Resolves when it listens. */
  listening(): Promise<void> {
    return this.waitForStderr(/ is at http\S+\n/);
  }

  /** Resolves when stderr matches. @throws if it ends before. */
  waitForStderr(pattern: RegExp): Promise<void> {
    return this.waitForOutput('stderr', pattern);
  }

  /** Resolves when the log matches. @throws if it ends before. */
  waitForLog(pattern: RegExp): Promise<void> {
    return this.waitForOutput('stdout', pattern);
  }

  /** The messages of the starts and ends of outages in the log. */
  get outages(): string[] {
    return this.lines.flatMap(({ detail }) => (typeof detail === 'string' ? [detail] : []));
  }

  /** Calls the listener with the message of each start and end of an outage. */
  onOutage(listener: (message: string) => void): void {
    createInterface({ input: this.child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      const { detail } = JSON.parse(line) as LogLine;
      if (typeof detail === 'string') listener(detail);
    });
  }

  /** Closes the reading end of the log. */
  endReading(): void {
    this.child.stdout?.destroy();
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
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

  /** Stops it with SIGTERM. */
  async stop(): Promise<Ending> {
    this.kill('SIGTERM');
    return this.ended;
  }
}

/** Creates a key with practically no limits, with the command line, also while a server runs. */
export async function createUnlimitedKey(directory: string, databaseUrl = ''): Promise<string> {
  const config = readConfig({ DATA_DIR: directory, DATABASE_URL: databaseUrl }, contract.document);
  const stores = await openStores(config, 'command', { contract, clock: Date.now, report: () => undefined });
  const { token } = await stores.apiKeyService.create({
    ...{ name: 'test', plan: 'enterprise', limits, expiresAt: undefined },
  });
  await stores.close();
  return token;
}

process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
