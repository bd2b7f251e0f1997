import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import type { CommandContext, Output, Signals } from 'contract-server/cli/context.js';
import { runProgram } from 'contract-server/cli/program.js';
import type { Service } from 'contract-server/options.js';
import type { ApplicationStores } from 'contract-server/service/definition.js';
import { startOfTests } from '../start-of-tests.js';
import { temporaryDirectory } from '../temporary-directory.js';

export interface RunOptions {
  /** The data directory. Default: a new empty one. */
  readonly directory?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: Readable;
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

/** Runs the command line of a service in this process. */
export type RunCommandLine = (args: readonly string[], options?: RunOptions) => Promise<Run>;

/** Returns the functions that run the command line of a service. */
export function commandLineOf<Stores extends ApplicationStores>({ definition }: Service<Stores>) {
  const run: RunCommandLine = async (args, options = {}) => {
    const { clock = { now: startOfTests }, stdout = new TextOutput(), stderr = new TextOutput() } = options;
    const stdin = options.stdin ?? Readable.from([]);
    const context: CommandContext = {
      env: { DATA_DIR: options.directory ?? temporaryDirectory(), ...options.env },
      stdin: () => stdin,
      stdout,
      stderr,
      clock: typeof clock === 'function' ? clock : () => clock.now,
      signals: options.signals ?? { once: () => undefined, exit: () => undefined },
    };
    const exitCode = await runProgram(definition, args, context);
    return { exitCode, stdout: stdout.text, stderr: stderr.text };
  };

  /** Runs a command with `--json`, which must succeed, and returns the JSON that it prints. */
  const runJson = async <T>(args: readonly string[], options: RunOptions): Promise<T> => {
    const { exitCode, stdout, stderr } = await run([...args, '--json'], options);
    if (exitCode !== 0 || stderr !== '')
      throw new Error(`${args.join(' ')} exited with ${String(exitCode)}: ${stderr}`);
    return JSON.parse(stdout) as T;
  };
  return { run, runJson };
}

/** The result of a run that succeeds. */
export function success(stdout = ''): Run {
  return { exitCode: 0, stdout, stderr: '' };
}

/** The result of a run that fails with one error: exit code 1, or 2 for invalid arguments or settings. */
export function failure(message: string, exitCode = 1): Run {
  return { exitCode, stdout: '', stderr: `error: ${message}\n` };
}
