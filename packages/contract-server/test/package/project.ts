import { execFile, spawn } from 'node:child_process';
import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { closeLater } from '@contract-server/test-support/closing.js';
import { eventually } from '@contract-server/test-support/redis/redis-server.js';
import { watchChild } from '@contract-server/test-support/servers/child-process.js';
import { isListening } from '@contract-server/test-support/servers/is-listening.js';
import { ToolProcess } from '@contract-server/test-support/servers/tool-process.js';

export const run = promisify(execFile);
export const repository = fileURLToPath(new URL('../../../../../', import.meta.url));

/** A package of npm as `npm pack --json` describes it. */
interface Packed {
  readonly name: string;
  readonly files: readonly { readonly path: string }[];
}

/** Packs the packages into a folder, and returns the paths of the files of each. The suite runs on a fresh build. */
export async function pack(folder: string): Promise<ReadonlyMap<string, readonly string[]>> {
  // The script `prepack` would replace files that other tests are reading.
  const folders = ['client', 'core', 'diff', 'testing', 'contract-server'].map((name) => `./packages/${name}`);
  const args = ['pack', ...folders, '--json', '--ignore-scripts', '--pack-destination', folder];
  const { stdout } = await run('npm', args, { cwd: repository, maxBuffer: 16 * 1024 * 1024 });
  const packages = JSON.parse(stdout) as readonly Packed[];
  return new Map(packages.map(({ name, files }) => [name, files.map(({ path }) => path)]));
}

interface Output {
  readonly stdout: string;
  readonly stderr: string;
}

/** The compiler prints errors to stdout. */
function fail(error: unknown): never {
  const { stdout, stderr } = error as Output;
  throw new Error(`${stdout}${stderr}`, { cause: error });
}

/** The variables that npm sets for its scripts would direct another npm to this repository. */
const inherited = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^npm_(?:package|lifecycle|config_local_prefix)/.test(name)),
);

/** The folder of an application that has installed the package. */
export class Project {
  constructor(readonly folder: string) {}

  /** Runs commands in a shell, and returns their output. Rejects with it if one fails. */
  shell(commands: string): Promise<Output> {
    const env = {
      ...inherited,
      npm_config_ignore_scripts: 'true',
      npm_config_prefer_offline: 'true',
    };
    return run('bash', ['-ec', commands], { cwd: this.folder, env }).catch(fail);
  }

  /** Uses the package that is installed in this repository, there possibly under another name. */
  link(name: string, installedName = name): void {
    const path = join(this.folder, 'node_modules', name);
    rmSync(path, { recursive: true, force: true });
    symlinkSync(join(repository, 'node_modules', installedName), path);
  }

  /** Runs the installed command `contract-server`. */
  tool(...args: readonly string[]): ToolProcess {
    return new ToolProcess(this.folder, args, join(this.folder, 'node_modules/.bin/contract-server'));
  }

  /**
   * Compiles files as an application with the strictest options does. Rejects with the errors. The examples that are
   * compiled as the README says check the declarations of the package.
   */
  async compile(...args: readonly string[]): Promise<void> {
    const strictest = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--skipLibCheck'];
    const tsc = join(this.folder, 'node_modules/typescript/bin/tsc');
    const options = ['--module', 'nodenext', '--target', 'es2023', ...strictest, ...args];
    await run(process.execPath, [tsc, ...options], { cwd: this.folder }).catch(fail);
  }

  /** Runs a script of Node.js until the test ends, or until it exits. */
  start(script: string, env: Readonly<Record<string, string>> = {}) {
    const options = { cwd: this.folder, env: { ...inherited, ...env } };
    const child = spawn(process.execPath, [script], { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const ended = watchChild(child).then(({ code }) => ({ code, stderr }));
    closeLater(() => {
      child.kill('SIGKILL');
      return ended;
    });
    return { ended };
  }
}

/** Resolves when a process listens on a port. Rejects if it ends before. */
export async function listening({ ended }: ReturnType<Project['start']>, port: string): Promise<void> {
  let failure: string | undefined;
  void ended.then(({ stderr }) => (failure = stderr));
  const isReady = () => {
    if (failure !== undefined) throw new Error(`The process has ended: ${failure}`);
    return isListening(Number(port));
  };
  await eventually('the example listens', isReady, 60_000);
}
