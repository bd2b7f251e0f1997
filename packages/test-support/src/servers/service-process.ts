import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { settingsOf } from 'contract-server/config.js';
import { type ServiceDefinition, settingsOwner } from 'contract-server/service/definition.js';
import { closeLater } from '../closing.js';
import { type LogLine, parseLines } from '../log-lines.js';
import { type Ending, watchChild } from './child-process.js';

export interface ProcessOptions {
  /** The script and its arguments. */
  readonly command: readonly string[];
  /** A file descriptor for the log instead of a pipe that is read. */
  readonly stdout?: number;
  /** A shell command that runs first in the same process, such as `umask` or `ulimit`. */
  readonly setUp?: string;
}

/**
 * The real command of a service on a free port, with the settings of the test only. It is killed after the test or
 * suite.
 */
export class ServiceProcess {
  /** The log. */
  stdout = '';
  /** The text for people. */
  stderr = '';
  readonly ended: Promise<Ending>;
  private readonly child: ChildProcess;

  /** Returns at once; see `listening` and `ended`. */
  constructor(
    definition: Omit<ServiceDefinition, 'create'>,
    env: Readonly<Record<string, string>>,
    { command, stdout, setUp = 'true' }: ProcessOptions,
  ) {
    const unset = Object.fromEntries(settingsOf(settingsOwner(definition)).map(({ name }) => [name, '']));
    this.child = spawn('sh', ['-c', `${setUp} && exec "$@"`, 'sh', process.execPath, ...command], {
      env: { ...process.env, ...unset, PORT: '0', ...env },
      stdio: ['ignore', stdout ?? 'pipe', 'pipe'],
    });
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    this.ended = watchChild(this.child);
    closeLater(() => this.crash());
  }

  /** Resolves when it listens. @throws if it ends before. */
  listening(): Promise<void> {
    return this.waitForStderr(/ is at http\S+\n/);
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
    return this.printed(/^ {2}([a-z]+_[a-z]+_\w{36})$/m);
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
