/**
 * Runs the service from source. Whenever the contract or the code changes, it says what has changed for clients,
 * generates, compiles and starts the service again. While something is wrong with either, the service that ran before
 * goes on.
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
import type { Contract } from './contract-change.js';
import { syntaxMistake, toldMistake } from './contract-mistake.js';
import { toldChanges } from './format-changes.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const contractPath = 'spec/petstore.yaml';
/** Editors write a file in several steps, and a change of branch writes many. */
const quietMs = 100;
const run = promisify(execFile);

/** The text of the contract, if nothing is known to be wrong with it. */
let sound: string | undefined;
let isCompiled = false;
let served: { readonly text: string; readonly process: ChildProcess } | undefined;
let isStopping = false;
let work: Promise<void> = takeContract();
await work;

const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
const args = [tsc, '-b', '--watch', '--preserveWatchOutput', '--pretty', 'false'];
const compiler = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
createInterface({ input: compiler.stdout }).on('line', hearCompiler);
compiler.on('exit', stop);

// The compiler watches what it compiles.
const ignored = (path: string, stats?: Stats) => stats?.isFile() === true && path.endsWith('.ts');
const watcher = watch(['spec', 'src'], { cwd: root, ignoreInitial: true, ignored });
const changed = new Set<string>();
let quiet: NodeJS.Timeout | undefined;
watcher.on('all', (_event, path) => {
  changed.add(path);
  clearTimeout(quiet);
  quiet = setTimeout(() => {
    if (changed.has(contractPath)) enqueue(takeContract);
    else if ([...changed].some((each) => each.startsWith('src/'))) enqueue(serve);
    changed.clear();
  }, quietMs);
});

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
process.on('exit', () => {
  compiler.kill();
  served?.process.kill();
});

function say(words: string): void {
  if (!isStopping) console.error(`dev: ${words}`);
}

/** One job at a time, in order. */
function enqueue(job: () => Promise<void>): void {
  work = work.then(() => (isStopping ? undefined : job())).catch((error: unknown) => say(String(error)));
}

/**
 * Reads the contract, says what it changes for clients of the service that runs, and generates what the compiler waits
 * for.
 */
async function takeContract(): Promise<void> {
  const text = await readFile(`${root}${contractPath}`, 'utf8').catch(() => '');
  sound = undefined;
  const mistake = syntaxMistake(text);
  if (mistake !== undefined) sayMistake(mistake);
  else if (await succeeds(text, 'build/scripts/generate.js')) {
    sound = text;
    if (served !== undefined) sayChanges(served.text, text);
  }
}

function sayMistake(mistake: string): void {
  say(`${contractPath}:${mistake}${isServing() ? '\ndev: The service goes on as it was.' : ''}`);
}

function sayChanges(servedText: string, text: string): void {
  const today = new Date().toISOString().slice(0, '2026-01-01'.length);
  const lines = toldChanges(parse(servedText) as Contract, parse(text) as Contract, today);
  say(
    lines.length === 0
      ? 'The contract says what it said before.'
      : ['The contract changes:', ...lines].join('\ndev:   '),
  );
}

/** Runs a program that fails if something is wrong with the contract, and says what. */
async function succeeds(text: string, program: string): Promise<boolean> {
  try {
    await run(process.execPath, [program], { cwd: root });
    return true;
  } catch (error) {
    sayMistake(toldMistake(text, (error as { stderr: string }).stderr));
    return false;
  }
}

function hearCompiler(line: string): void {
  const errors = /Found (\d+) errors?\./.exec(line)?.[1];
  if (errors !== undefined) enqueue(() => takeCompilation(errors === '0'));
  // Every other line of its own begins with the time, and those about mistakes with a path.
  else if (!/^(\d|\s*$)/.test(line)) say(line.replace(/^(\S+)\((\d+),(\d+)\)/, '$1:$2:$3'));
}

async function takeCompilation(isGood: boolean): Promise<void> {
  isCompiled = isGood;
  if (isGood) await serve();
  else if (isServing()) say('The service goes on as it was.');
}

/** Starts the service, in the place of the one that runs, if nothing is wrong. */
async function serve(): Promise<void> {
  const text = sound;
  if (text === undefined || !isCompiled) return;
  if (text !== served?.text && !(await succeeds(text, 'dist/openapi/check-contract.js'))) return;
  await endService();
  if (isStopping) return;
  // A process group of its own, so that Ctrl-C reaches it once: it would take a second signal for impatience.
  const args = ['--enable-source-maps', 'dist/main.js'];
  const service = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], detached: true });
  served = { text, process: service };
  service.on('exit', (code, signal) => {
    if (served?.process === service)
      say(`The service has ended (${String(code ?? signal)}) and starts again at the next change.`);
  });
}

/** Whether the service that was started last still runs. */
function isServing(): boolean {
  return served !== undefined && served.process.exitCode === null && served.process.signalCode === null;
}

async function endService(): Promise<void> {
  const service = isServing() ? served?.process : undefined;
  served = undefined;
  if (service === undefined) return;
  const ended = once(service, 'exit');
  service.kill();
  await ended;
}

/**
 * Ends with everything that it has started. npm hands Ctrl-C on, so it comes twice; the service is to hear of it once,
 * and ends in time.
 */
function stop(): void {
  if (isStopping) return;
  isStopping = true;
  served?.process.kill();
  clearTimeout(quiet);
  compiler.kill();
  void watcher.close();
}
