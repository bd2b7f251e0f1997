import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { closeLater } from '../closing.js';
import { temporaryDirectory } from '../temporary-directory.js';
import { type Ending, watchChild } from './child-process.js';

const compiled = fileURLToPath(import.meta.resolve('contract-server/cli/contract-server.js'));

/** Writes files, by their paths, into a temporary directory, and returns its path. An object is written as YAML. */
export function directoryWith(files: Readonly<Record<string, unknown>>): string {
  const directory = temporaryDirectory();
  writeFiles(directory, files);
  return directory;
}

export function writeFiles(directory: string, files: Readonly<Record<string, unknown>>): void {
  for (const [path, contents] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), typeof contents === 'string' ? contents : stringify(contents));
  }
}

/** The real command `contract-server` in a directory. It is killed after the test or suite. */
export class ToolProcess {
  stdout = '';
  stderr = '';
  /** Resolves when it and the processes that share its output have ended. */
  readonly ended: Promise<Ending>;
  private readonly child: ChildProcess;

  /** @param program the script to run. Default: the compiled one. */
  constructor(directory: string, args: readonly string[], program = compiled) {
    this.child = spawn(process.execPath, [program, ...args], {
      cwd: directory,
      env: { ...process.env, HOST: '', PORT: '0', CORS_ORIGINS: '', LOG_LEVEL: '' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    this.ended = watchChild(this.child);
    closeLater(() => {
      this.kill('SIGKILL');
      return this.ended;
    });
  }

  /** Resolves when it has ended. */
  async finish() {
    const { code } = await this.ended;
    return { code, stdout: this.stdout, stderr: this.stderr };
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Resolves with the match once it is printed, and removes the text up to its end. @throws if the process ends. */
  async prints(output: 'stdout' | 'stderr', pattern: RegExp): Promise<RegExpExecArray> {
    const stream = this.child[output] as NodeJS.ReadableStream;
    for (;;) {
      const match = pattern.exec(this[output]);
      if (match !== null) {
        this[output] = this[output].slice(match.index + match[0].length);
        return match;
      }
      const ended = this.ended.then(() => {
        if (!pattern.test(this[output])) throw new Error(`It ended without ${String(pattern)}: ${this.stderr}`);
      });
      await Promise.race([once(stream, 'data'), ended]);
    }
  }
}
