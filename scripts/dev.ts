/**
 * Runs the service from source. When the contract or the code changes, it logs the changes of the contract, generates,
 * compiles and restarts the service. While the contract or the code has an error, the running service is not restarted.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Stats } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { watch } from 'chokidar';
import { parse } from 'yaml';
import { findSyntaxError, locateError } from './contract-error.js';
import type { Contract } from './diff-contract.js';
import { formatChanges } from './format-changes.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const contractPath = 'spec/petstore.yaml';
/** Editors write a file in several steps, and a checkout writes many files. */
const debounceMs = 100;
const run = promisify(execFile);

/** The text of the contract, unless it has a known error. */
let validText: string | undefined;
let isCompiled = false;
let served: { readonly text: string; readonly process: ChildProcess } | undefined;
let isStopping = false;
let queue: Promise<void> = loadContract();
await queue;

const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
const args = [tsc, '-b', '--watch', '--preserveWatchOutput', '--pretty', 'false'];
const compiler = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
createInterface({ input: compiler.stdout }).on('line', onCompilerOutput);
compiler.on('exit', stop);

// The compiler watches what it compiles.
const ignored = (path: string, stats?: Stats) => stats?.isFile() === true && path.endsWith('.ts');
const watcher = watch(['spec', 'src'], { cwd: root, ignoreInitial: true, ignored });
const changed = new Set<string>();
let debounce: NodeJS.Timeout | undefined;
watcher.on('all', (_event, path) => {
  changed.add(path);
  clearTimeout(debounce);
  debounce = setTimeout(() => {
    if (changed.has(contractPath)) enqueue(loadContract);
    else if ([...changed].some((each) => each.startsWith('src/'))) enqueue(startService);
    changed.clear();
  }, debounceMs);
});

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
process.on('exit', () => {
  compiler.kill();
  served?.process.kill();
});

function log(message: string): void {
  if (!isStopping) console.error(`dev: ${message}`);
}

/** Runs jobs in order, one at a time. */
function enqueue(job: () => Promise<void>): void {
  queue = queue.then(() => (isStopping ? undefined : job())).catch((error: unknown) => log(String(error)));
}

/** Reads the contract, generates code from it, and logs its changes since the running service has started. */
async function loadContract(): Promise<void> {
  const text = await readFile(`${root}${contractPath}`, 'utf8').catch(() => '');
  validText = undefined;
  const syntaxError = findSyntaxError(text);
  if (syntaxError !== undefined) logContractError(syntaxError);
  else if (await succeeds(text, 'build/scripts/generate.js')) {
    validText = text;
    if (served !== undefined) logChanges(served.text, text);
  }
}

function logContractError(message: string): void {
  log(`${contractPath}:${message}${isRunning() ? '\ndev: The service keeps running unchanged.' : ''}`);
}

function logChanges(servedText: string, text: string): void {
  const today = new Date().toISOString().slice(0, '2026-01-01'.length);
  const lines = formatChanges(parse(servedText) as Contract, parse(text) as Contract, today);
  log(lines.length === 0 ? 'The contract has no changes.' : ['The contract changes:', ...lines].join('\ndev:   '));
}

/** Runs a program that fails if the contract has an error, and logs the error. */
async function succeeds(text: string, program: string): Promise<boolean> {
  try {
    await run(process.execPath, [program], { cwd: root });
    return true;
  } catch (error) {
    logContractError(locateError(text, (error as { stderr: string }).stderr));
    return false;
  }
}

function onCompilerOutput(line: string): void {
  const errors = /Found (\d+) errors?\./.exec(line)?.[1];
  if (errors !== undefined) enqueue(() => onCompiled(errors === '0'));
  // Errors begin with a path, other lines with the time.
  else if (!/^(\d|\s*$)/.test(line)) log(line.replace(/^(\S+)\((\d+),(\d+)\)/, '$1:$2:$3'));
}

async function onCompiled(isValid: boolean): Promise<void> {
  isCompiled = isValid;
  if (isValid) await startService();
  else if (isRunning()) log('The service keeps running unchanged.');
}

/** Starts or restarts the service, unless the contract or the code has an error. */
async function startService(): Promise<void> {
  const text = validText;
  if (text === undefined || !isCompiled) return;
  if (text !== served?.text && !(await succeeds(text, 'dist/openapi/check-contract.js'))) return;
  await stopService();
  if (isStopping) return;
  // A process group of its own, so that Ctrl-C reaches it once: on a second signal it exits at once.
  const args = ['--enable-source-maps', 'dist/main.js'];
  const service = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], detached: true });
  served = { text, process: service };
  service.on('exit', (code, signal) => {
    if (served?.process === service)
      log(`The service has exited (${String(code ?? signal)}) and restarts after the next change.`);
  });
}

function isRunning(): boolean {
  return served !== undefined && served.process.exitCode === null && served.process.signalCode === null;
}

async function stopService(): Promise<void> {
  const service = isRunning() ? served?.process : undefined;
  served = undefined;
  if (service === undefined) return;
  const ended = once(service, 'exit');
  service.kill();
  await ended;
}

/** Stops the service, the compiler and the watcher. npm forwards Ctrl-C, so the signal arrives twice. */
function stop(): void {
  if (isStopping) return;
  isStopping = true;
  served?.process.kill();
  clearTimeout(debounce);
  compiler.kill();
  void watcher.close();
}
