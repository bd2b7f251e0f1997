/**
 * Runs the service from source. When the contract or the code changes, it logs the changes of the contract, generates,
 * compiles and restarts the service.
 *
 * The service runs from a snapshot of what was compiled, and restarts only with a snapshot that has started once on an
 * empty store. So neither an error nor a change during the build affects the running service.
 */

import type { ChildProcess } from 'node:child_process';
import { execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, type Stats } from 'node:fs';
import { copyFile, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { watch } from 'chokidar';
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
const run = promisify(execFile);

/** The contract, unless it has a known error. */
let validContract: Buffer | undefined;
let isCompiled = false;
let served: { readonly snapshot: ServiceSnapshot; readonly process: ChildProcess } | undefined;
let isStopping = false;
/** Aborted at the next change: what is prepared for this one is given up. */
let change = new AbortController();
let queue = Promise.resolve();

enqueue(loadContract);
await queue;

const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
const args = [tsc, '-b', '--watch', '--preserveWatchOutput', '--pretty', 'false'];
const compiler = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
createInterface({ input: compiler.stdout }).on('line', onCompilerOutput);
compiler.on('exit', (code, signal) =>
  log(`The compiler has exited (${String(code ?? signal)}). Start \`npm run dev\` again.`),
);

// Below the project, so that the service finds its packages.
mkdirSync(join(root, 'build'), { recursive: true });
const snapshots = mkdtempSync(join(root, 'build/dev-'));
process.on('exit', () => {
  compiler.kill();
  served?.process.kill();
  rmSync(snapshots, { recursive: true, force: true });
});

// The compiler watches what it compiles.
const ignored = (path: string, stats?: Stats) => stats?.isFile() === true && path.endsWith('.ts');
const watcher = watch(['spec', 'src'], { cwd: root, ignoreInitial: true, ignored });
const changed = new Set<string>();
let debounce: NodeJS.Timeout | undefined;
watcher.on('error', (error) => log(String(error)));
watcher.on('all', (_event, path) => {
  // Other files in `spec/`, such as those of an editor, change nothing.
  if (path !== contractPath && !path.startsWith('src/')) return;
  changed.add(path);
  giveUpPreparation();
  clearTimeout(debounce);
  debounce = setTimeout(() => {
    if (changed.has(contractPath)) enqueue(loadContract);
    else enqueue(updateService);
    changed.clear();
  }, debounceMs);
});

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);

function log(message: string): void {
  if (!isStopping) console.error(`dev: ${message}`);
}

function logError(message: string): void {
  const isServed = served !== undefined && isRunning(served.process);
  log(`${message}${isServed ? '\ndev: The service keeps running unchanged.' : ''}`);
}

/** Runs jobs in order, one at a time. */
function enqueue(job: () => Promise<void>): void {
  queue = queue.then(() => (isStopping ? undefined : job())).catch((error: unknown) => log(String(error)));
}

function giveUpPreparation(): void {
  change.abort();
  change = new AbortController();
}

/** Reads the contract, generates code from it, and logs its changes since the running service has started. */
async function loadContract(): Promise<void> {
  validContract = undefined;
  let bytes: Buffer;
  let text: string;
  try {
    bytes = await readFile(join(root, contractPath));
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    logError(`${contractPath}: ${(error as Error).message}`);
    return;
  }
  const syntaxError = findSyntaxError(text);
  if (syntaxError !== undefined) logError(`${contractPath}:${syntaxError}`);
  else if (await accepts(text, 'build/scripts/generate.js')) {
    validContract = bytes;
    // The compiler compiles what was generated.
    isCompiled = false;
    if (served !== undefined) logChanges(served.snapshot.contract.toString(), text);
  }
}

function logChanges(servedText: string, text: string): void {
  const today = new Date().toISOString().slice(0, '2026-01-01'.length);
  const lines = formatChanges(parse(servedText) as Contract, parse(text) as Contract, today);
  log(lines.length === 0 ? 'The contract has no changes.' : ['The contract changes:', ...lines].join('\ndev:   '));
}

/** Runs a program that fails if the contract has an error, and logs the error. */
async function accepts(text: string, program: string, signal?: AbortSignal): Promise<boolean> {
  try {
    await run(process.execPath, [program], { cwd: root, signal });
    return true;
  } catch (error) {
    if (signal?.aborted !== true)
      logError(`${contractPath}:${locateError(text, (error as { stderr: string }).stderr)}`);
    return false;
  }
}

function onCompilerOutput(line: string): void {
  const errors = /Found (\d+) errors?\./.exec(line)?.[1];
  if (errors !== undefined) enqueue(() => onCompiled(errors === '0'));
  else if (/Starting (incremental )?compilation/.test(line)) giveUpPreparation();
  // Errors begin with a path, other lines with the time.
  else if (!/^(\d|\s*$)/.test(line)) log(line.replace(/^(\S+)\((\d+),(\d+)\)/, '$1:$2:$3'));
}

async function onCompiled(isValid: boolean): Promise<void> {
  isCompiled = isValid;
  if (isValid) await updateService();
  else if (served !== undefined && isRunning(served.process)) log('The service keeps running unchanged.');
}

/** Replaces the service, unless the contract or the code has an error or changes again. */
async function updateService(): Promise<void> {
  const { signal } = change;
  if (validContract === undefined || !isCompiled) return;
  const snapshot = await createSnapshot(root, snapshots, validContract);
  if ((await isStartable(snapshot, signal)) && !signal.aborted) await replaceService(snapshot);
  if (served?.snapshot !== snapshot) await rm(snapshot.directory, { recursive: true });
}

/** Whether the service starts, on a separate, empty store. Logs the error if it does not. */
async function isStartable(snapshot: ServiceSnapshot, signal: AbortSignal): Promise<boolean> {
  const { directory, contract } = snapshot;
  if (served?.snapshot.contract.equals(contract) !== true) {
    const program = join(directory, 'dist/openapi/check-contract.js');
    if (!(await accepts(contract.toString(), program, signal))) return false;
    await copyFile(join(directory, checkedPath), join(root, checkedPath));
  }
  // No other setting: they could lead to stores or ports in use.
  const env = { PORT: '0', DATA_DIR: join(directory, 'data') };
  const trial = await startSnapshot(snapshot, { cwd: root, env, stdio: ['ignore', 'ignore', 'pipe'], signal });
  await stopProcess(trial.process, 'SIGKILL');
  if (trial.error !== undefined && !signal.aborted) logError(`The service does not start: ${trial.error}`);
  return trial.error === undefined;
}

/** Stops the running service and starts another one, or the same again if the other one does not start. */
async function replaceService(snapshot: ServiceSnapshot): Promise<void> {
  const previous = served?.snapshot;
  if (served !== undefined) {
    const { process } = served;
    served = undefined;
    await stopProcess(process);
  }
  if (await startService(snapshot)) {
    if (previous !== undefined) await rm(previous.directory, { recursive: true });
  } else if (previous !== undefined) {
    log('The service did not start. The previous one starts again.');
    await startService(previous);
  }
}

/** @returns whether it is ready for requests. If not, it has printed why. */
async function startService(snapshot: ServiceSnapshot): Promise<boolean> {
  if (isStopping) return false;
  const { process: service, error } = await startSnapshot(snapshot, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'pipe'],
    onSpawn: (service) => {
      served = { snapshot, process: service };
      service.stderr?.pipe(process.stderr, { end: false });
    },
  });
  if (error === undefined)
    service.on('exit', (code, signal) => {
      if (served?.process === service)
        log(`The service has exited (${String(code ?? signal)}) and restarts after the next change.`);
    });
  return error === undefined;
}

/** Stops the service, the compiler and the watcher. npm forwards Ctrl-C, so the signal arrives twice. */
function stop(): void {
  if (isStopping) return;
  isStopping = true;
  change.abort();
  served?.process.kill();
  clearTimeout(debounce);
  compiler.kill();
  void watcher.close();
}
