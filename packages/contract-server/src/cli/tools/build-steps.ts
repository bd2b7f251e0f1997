import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, dirname, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { packageFolder } from '../../lib/package-folder.js';
import type { GenerateResult } from './generate.js';

const program = fileURLToPath(new URL('bin/contract-server.js', packageFolder));

export interface BuildOptions {
  readonly contract: string;
  readonly overlay?: string | undefined;
  readonly lenient?: true | undefined;
  /** The file to generate. */
  readonly output: string;
  /** A command of the shell. */
  readonly build: string;
}

/** Generates the types of a contract and builds a service, each in a process of its own. */
export class BuildSteps {
  /** Whether the contract has changed since its types were generated. */
  isContractChanged = true;
  /** The files that the contract consisted of when it was last valid. */
  files: readonly string[];
  private running: { readonly child: ChildProcess; readonly ended: Promise<unknown> } | undefined;

  constructor(
    private readonly options: BuildOptions,
    private readonly print: (message: string) => void,
  ) {
    this.files = [options.contract, options.overlay ?? []].flat().map((file) => resolve(file));
  }

  /** Whether a file may belong to the contract. An invalid contract may refer to any file in its folders. */
  isContractFile(path: string): boolean {
    const folders = this.files.map((file) => dirname(file));
    const file = resolve(path);
    if (this.files.includes(file)) return true;
    return this.isContractChanged && /\.(ya?ml|json)$/.test(file) && folders.includes(dirname(file));
  }

  /** Resolves with the errors, each with file, line and column; `undefined` if both steps succeed. */
  async run(): Promise<string | undefined> {
    const { contract, overlay, lenient, output, build } = this.options;
    if (this.isContractChanged) {
      this.isContractChanged = false;
      const generated = await this.spawn(process.execPath, [
        program,
        'generate',
        contract,
        ...(overlay === undefined ? [] : ['--overlay', overlay]),
        ...(lenient ? ['--lenient'] : []),
        ...['--output', output, '--json'],
      ]);
      if (generated.code !== 0) {
        this.isContractChanged = true;
        return generated.stderr.trim();
      }
      const { files, warnings } = JSON.parse(generated.stdout) as GenerateResult;
      this.files = files;
      for (const warning of warnings) this.print(`Warning: ${warning}`);
    }
    const { code, stdout, stderr } = await this.spawn(build, [], true);
    if (code === 0) return undefined;
    // The compiler prints errors to `stdout`.
    const errors = stripVTControlCharacters(stdout.trim() || stderr.trim()).replace(
      /^(\S+)\((\d+),(\d+)\)/gm,
      '$1:$2:$3',
    );
    return errors || `\`${build}\` failed (${String(code)}).`;
  }

  /** Ends the step that is running, with the processes that it has started. */
  async stop(): Promise<void> {
    const { child, ended } = this.running ?? {};
    if (child?.pid === undefined) return;
    process.kill(-child.pid, 'SIGTERM');
    await ended;
  }

  private async spawn(command: string, args: readonly string[], shell = false) {
    const { PATH = '' } = process.env;
    const env = { ...process.env, PATH: `${resolve('node_modules/.bin')}${delimiter}${PATH}` };
    const child = spawn(command, args, { shell, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
    this.running = { child, ended };
    const [stdout, stderr] = await ended;
    this.running = undefined;
    return { stdout, stderr, code: child.exitCode };
  }
}
