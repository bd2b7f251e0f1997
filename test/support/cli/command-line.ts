import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import type { CommandContext, Output, Signals } from '#contract-server/cli/context.js';
import type { KeyView } from '#contract-server/cli/output/key-views.js';
import { runProgram } from '#contract-server/cli/program.js';
import { startOfTests } from '#contract-server-test/support/start-of-tests.js';
import { temporaryDirectory } from '#contract-server-test/support/temporary-directory.js';
import { definition } from '../pet-store.js';

export interface RunOptions {
  /** The data directory. Default: a new empty one. */
  readonly directory?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string | Readable;
  readonly clock?: { now: number } | (() => number);
  readonly stdout?: TextOutput;
  readonly stderr?: TextOutput;
  readonly signals?: Signals;
}

/** The result of a run of the command line. */
export interface Run {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A stream that records what is written to it. */
export class TextOutput extends Writable implements Output {
  text = '';

  constructor(
    readonly isTTY = false,
    readonly columns = 100,
  ) {
    super({ decodeStrings: false });
  }

  override _write(chunk: string, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk;
    done();
    this.emit('text');
  }

  /** Resolves when the text matches. */
  async until(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.text)) await once(this, 'text');
  }
}

/** Runs `petstore` in this process. */
export async function petstore(args: readonly string[], options: RunOptions = {}): Promise<Run> {
  const { stdin = '', clock = { now: startOfTests }, stdout = new TextOutput(), stderr = new TextOutput() } = options;
  const input = typeof stdin === 'string' ? Readable.from([Buffer.from(stdin)]) : stdin;
  const context: CommandContext = {
    env: { DATA_DIR: options.directory ?? temporaryDirectory(), ...options.env },
    stdin: () => input,
    stdout,
    stderr,
    clock: typeof clock === 'function' ? clock : () => clock.now,
    signals: options.signals ?? { once: () => undefined, exit: () => undefined },
  };
  const exitCode = await runProgram(definition, args, context);
  return { exitCode, stdout: stdout.text, stderr: stderr.text };
}

/** The result of a run that succeeds. */
export function success(stdout = ''): Run {
  return { exitCode: 0, stdout, stderr: '' };
}

/** The result of a run that fails with one error: exit code 1, or 2 for invalid arguments or settings. */
export function failure(message: string, exitCode = 1): Run {
  return { exitCode, stdout: '', stderr: `error: ${message}\n` };
}

/** Runs `petstore … --json`, which must succeed, and returns the JSON that it prints. */
export async function petstoreJson<T>(args: readonly string[], options: RunOptions): Promise<T> {
  const { exitCode, stdout, stderr } = await petstore([...args, '--json'], options);
  if (exitCode !== 0 || stderr !== '')
    throw new Error(`petstore ${args.join(' ')} exited with ${String(exitCode)}: ${stderr}`);
  return JSON.parse(stdout) as T;
}

/** What `keys create --json` prints. */
export type IssuedKeyView = KeyView & { readonly token: string };

/** Runs `petstore keys` for the tests of a suite, each with an empty database and a separate clock. */
export function keysCommands() {
  const options = { directory: '', clock: { now: startOfTests } };
  beforeEach(async () => {
    Object.assign(options, { directory: temporaryDirectory(), clock: { now: startOfTests } });
    await petstore(['migrate'], options);
  });
  const keys = (...args: string[]): Promise<Run> => petstore(['keys', ...args], options);
  const keysJson = <T = KeyView>(...args: string[]): Promise<T> => petstoreJson<T>(['keys', ...args], options);
  const create = (...args: string[]) => keysJson<IssuedKeyView>('create', '--name', 'app', ...args);
  const list = () => keysJson<KeyView[]>('list');
  return { options, keys, keysJson, create, list };
}
