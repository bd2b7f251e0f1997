/**
 * Runs the service from source. When the contract or the code changes, it logs the changes of the contract, generates,
 * compiles and restarts the service. Arguments are passed to the service: `npm run dev -- --env-file .env`.
 *
 * The service runs from a snapshot of what was compiled, and restarts only with a snapshot that has started once on an
 * empty store. So neither an error nor a change during the build affects the running service.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, type Stats } from 'node:fs';
import { copyFile, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type FSWatcher, watch } from 'chokidar';
import { parse } from 'yaml';
import { findSyntaxError, locateError } from './contract-error.js';
import type { Contract } from './diff-contract.js';
import { formatChanges } from './format-changes.js';
import { createSnapshot, isRunning, type ServiceSnapshot, startSnapshot, stopProcess } from './service-snapshot.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const contractPath = 'spec/petstore.yaml';
/** Where the build stores that it has checked the contract. */
const checkedPath = 'dist/openapi/checked-contract.json';
/** Editors write a file in several steps, and a checkout writes many files. */
const debounceMs = 100;
const execute = promisify(execFile);

class DevServer {
  /** The contract, unless it has a known error. */
  private validContract: Buffer | undefined;
  private isCompiled = false;
  private served: { readonly snapshot: ServiceSnapshot; readonly process: ChildProcess } | undefined;
  private isStopping = false;
  /** Aborted at the next change: what is prepared for this one is given up. */
  private change = new AbortController();
  private queue = Promise.resolve();
  private compiler: ChildProcess | undefined;
  private watcher: FSWatcher | undefined;
  private readonly snapshots: string;

  /** @param args the arguments of the service. */
  constructor(private readonly args: readonly string[]) {
    // Below the project, so that the service finds its packages.
    mkdirSync(join(root, 'build'), { recursive: true });
    this.snapshots = mkdtempSync(join(root, 'build/dev-'));
  }

  /** Runs until a signal. The service starts when the compiler has compiled. */
  async run(): Promise<void> {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => this.stop());
    process.on('exit', () => {
      this.compiler?.kill();
      this.served?.process.kill();
      rmSync(this.snapshots, { recursive: true, force: true });
    });
    this.enqueue(() => this.loadContract());
    await this.queue;
    if (this.isStopping) return;
    this.compiler = this.startCompiler();
    this.watcher = this.startWatcher();
  }

  /** Runs jobs in order, one at a time. */
  private enqueue(job: () => Promise<void>): void {
    this.queue = this.queue
      .then(() => (this.isStopping ? undefined : job()))
      .catch((error: unknown) => this.log(String(error)));
  }

  private startCompiler(): ChildProcess {
    const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
    const args = [tsc, '-b', '--watch', '--preserveWatchOutput', '--pretty', 'false'];
    const compiler = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
    createInterface({ input: compiler.stdout }).on('line', (line) => this.onCompilerOutput(line));
    compiler.on('exit', (code, signal) =>
      this.log(`The compiler has exited (${String(code ?? signal)}). Start \`npm run dev\` again.`),
    );
    return compiler;
  }

  private onCompilerOutput(line: string): void {
    const errors = /Found (\d+) errors?\./.exec(line)?.[1];
    if (errors !== undefined) this.enqueue(() => this.onCompiled(errors === '0'));
    else if (/Starting (incremental )?compilation/.test(line)) this.giveUpPreparation();
    // Errors begin with a path, other lines with the time.
    else if (!/^(\d|\s*$)/.test(line)) this.log(line.replace(/^(\S+)\((\d+),(\d+)\)/, '$1:$2:$3'));
  }

  private async onCompiled(isValid: boolean): Promise<void> {
    this.isCompiled = isValid;
    if (isValid) await this.updateService();
    else if (this.isServed()) this.log('The service keeps running unchanged.');
  }

  /** Watches the contract and the files that the compiler does not watch. */
  private startWatcher(): FSWatcher {
    const changed = new Set<string>();
    let debounce: NodeJS.Timeout | undefined;
    const ignored = (path: string, stats?: Stats) => stats?.isFile() === true && path.endsWith('.ts');
    const watcher = watch(['spec', 'src'], { cwd: root, ignoreInitial: true, ignored });
    watcher.on('error', (error) => this.log(String(error)));
    watcher.on('all', (_event, path) => {
      // Other files in `spec/`, such as those of an editor, change nothing.
      if (path !== contractPath && !path.startsWith('src/')) return;
      changed.add(path);
      this.giveUpPreparation();
      clearTimeout(debounce);
      debounce = setTimeout(() => {
        const isContract = changed.has(contractPath);
        changed.clear();
        this.enqueue(() => (isContract ? this.loadContract() : this.updateService()));
      }, debounceMs);
    });
    return watcher;
  }

  private giveUpPreparation(): void {
    this.change.abort();
    this.change = new AbortController();
  }

  /** Reads the contract, generates code from it, and logs its changes since the running service has started. */
  private async loadContract(): Promise<void> {
    this.validContract = undefined;
    try {
      const bytes = await readFile(join(root, contractPath));
      const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
      const error = findSyntaxError(text) ?? (await contractErrorOf(text, 'build/scripts/generate.js'));
      if (error !== undefined) {
        this.logError(`${contractPath}:${error}`);
        return;
      }
      this.validContract = bytes;
      // The compiler compiles what was generated.
      this.isCompiled = false;
      if (this.served !== undefined) this.logChanges(this.served.snapshot.contract.toString(), text);
    } catch (error) {
      this.logError(`${contractPath}: ${(error as Error).message}`);
    }
  }

  /** Replaces the service, unless the contract or the code has an error or changes again. */
  private async updateService(): Promise<void> {
    const { signal } = this.change;
    if (this.validContract === undefined || !this.isCompiled) return;
    // After the first compilation of a new checkout, there is no viewer for /docs.
    if (this.served === undefined) await execute(process.execPath, ['scripts/bundle-viewer.js'], { cwd: root });
    const snapshot = await createSnapshot(root, this.snapshots, this.validContract);
    const error = await this.startErrorOf(snapshot, signal);
    if (!signal.aborted) {
      if (error === undefined) await this.replaceService(snapshot);
      else this.logError(error);
    }
    if (this.served?.snapshot !== snapshot) await rm(snapshot.directory, { recursive: true });
  }

  /** Why the service does not start on a separate, empty store; `undefined` if it does. */
  private async startErrorOf(snapshot: ServiceSnapshot, signal: AbortSignal): Promise<string | undefined> {
    const { directory, contract } = snapshot;
    if (this.served?.snapshot.contract.equals(contract) !== true) {
      const program = join(directory, 'dist/openapi/check-contract.js');
      const error = await contractErrorOf(contract.toString(), program, signal);
      if (error !== undefined) return `${contractPath}:${error}`;
      await copyFile(join(directory, checkedPath), join(root, checkedPath));
    }
    // No other setting: they could lead to stores or ports in use.
    const env = { PORT: '0', DATA_DIR: join(directory, 'data') };
    const trial = await startSnapshot(snapshot, { cwd: root, env, stdio: ['ignore', 'ignore', 'pipe'], signal });
    await stopProcess(trial.process, 'SIGKILL');
    return trial.error && `The service does not start: ${trial.error}`;
  }

  /** Stops the running service and starts another one, or the same again if the other one does not start. */
  private async replaceService(snapshot: ServiceSnapshot): Promise<void> {
    const previous = this.served?.snapshot;
    if (this.served !== undefined) {
      const { process } = this.served;
      this.served = undefined;
      await stopProcess(process);
    }
    if (await this.startService(snapshot)) {
      if (previous !== undefined) await rm(previous.directory, { recursive: true });
    } else if (previous !== undefined) {
      this.log('The service did not start. The previous one starts again.');
      await this.startService(previous);
    }
  }

  /** @returns whether it is ready for requests. If not, it has printed why. */
  private async startService(snapshot: ServiceSnapshot): Promise<boolean> {
    if (this.isStopping) return false;
    const { process: service, error } = await startSnapshot(snapshot, {
      args: this.args,
      cwd: root,
      stdio: ['ignore', 'inherit', 'pipe'],
      onSpawn: (service) => {
        this.served = { snapshot, process: service };
        service.stderr?.pipe(process.stderr, { end: false });
      },
    });
    if (error !== undefined) return false;
    service.on('exit', (code, signal) => {
      if (this.served?.process === service)
        this.log(`The service has exited (${String(code ?? signal)}) and restarts after the next change.`);
    });
    return true;
  }

  /** Stops the service, the compiler and the watcher. npm forwards Ctrl-C, so the signal arrives twice. */
  private stop(): void {
    if (this.isStopping) return;
    this.isStopping = true;
    this.change.abort();
    this.served?.process.kill();
    this.compiler?.kill();
    void this.watcher?.close();
  }

  private isServed(): boolean {
    return this.served !== undefined && isRunning(this.served.process);
  }

  private logChanges(servedText: string, text: string): void {
    const today = new Date().toISOString().slice(0, '2026-01-01'.length);
    const lines = formatChanges(parse(servedText) as Contract, parse(text) as Contract, today);
    this.log(
      lines.length === 0 ? 'The contract has no changes.' : ['The contract changes:', ...lines].join('\ndev:   '),
    );
  }

  private logError(message: string): void {
    this.log(`${message}${this.isServed() ? '\ndev: The service keeps running unchanged.' : ''}`);
  }

  private log(message: string): void {
    if (!this.isStopping) console.error(`dev: ${message}`);
  }
}

/** Runs a program that reads the contract. Returns its error with the position in the contract, as `7:3 Error: …`. */
async function contractErrorOf(text: string, program: string, signal?: AbortSignal): Promise<string | undefined> {
  try {
    await execute(process.execPath, [program], { cwd: root, signal });
    return undefined;
  } catch (error) {
    return locateError(text, (error as { readonly stderr?: string }).stderr ?? String(error));
  }
}

await new DevServer(process.argv.slice(2)).run();
