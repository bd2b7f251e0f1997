/**
 * Runs the service from source: `npm run dev -- --settings .env` passes these arguments to it. After each change of the
 * contract or the code it generates, builds and restarts. If a step fails, the running service stays as it is.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { watch } from 'chokidar';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** Editors write a file in several steps, and a checkout writes many files. */
const debounceMs = 100;
const run = promisify(execFile);

let service: ChildProcess | undefined;
/** The number of changes, including the start, and how many of them have been built. */
let changes = 1;
let built = 0;
/** Whether the contract has changed since code was generated from it. */
let isContractChanged = true;
let isUpdating = false;
let timer: NodeJS.Timeout | undefined;

const watcher = watch(['spec', 'src', 'packages/contract-server/src'], { cwd: root, ignoreInitial: true });
watcher.on('all', (_event, path) => {
  const isSource = /^(packages\/contract-server\/)?src\//.test(path);
  const isContract = !isSource && /(^|\/)[^./][^/]*\.(json|ya?ml)$/.test(path);
  // Other files in `spec/`, such as those of an editor, change nothing.
  if (!isContract && !isSource) return;
  isContractChanged ||= isContract;
  changes += 1;
  clearTimeout(timer);
  timer = setTimeout(() => void update(), debounceMs);
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => void stop());
await update();

/** Builds until nothing has changed in the meantime, then restarts the service. */
async function update(): Promise<void> {
  if (isUpdating) return;
  isUpdating = true;
  while (built !== changes) {
    built = changes;
    log('Building…');
    const error = await build();
    if (built !== changes) continue;
    if (error === undefined) await restart();
    else log(`${error}${isRunning() ? '\ndev: The service keeps running unchanged.' : ''}`);
  }
  isUpdating = false;
}

/** Generates and compiles. Returns the errors, each with file, line and column, or `undefined`. */
async function build(): Promise<string | undefined> {
  try {
    if (isContractChanged) {
      await run('npm', ['run', '--silent', 'generate'], { cwd: root });
      isContractChanged = false;
    }
    await run(process.execPath, ['scripts/build.js'], { cwd: root });
    watcher.add(await contractFiles());
    return undefined;
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as Error & { stdout?: string; stderr?: string };
    // The compiler prints errors to `stdout`.
    return stdout === '' ? (stderr || message).trim() : stdout.trim().replace(/^(\S+)\((\d+),(\d+)\)/gm, '$1:$2:$3');
  }
}

/** The files that the contract refers to, wherever they are: those which the build has checked. */
async function contractFiles(): Promise<string[]> {
  const text = await readFile(`${root}dist/checked-contract.json`, 'utf8');
  const { files } = JSON.parse(text) as { readonly files: Readonly<Record<string, string>> };
  return Object.keys(files).flatMap((name) => (name === '' ? [] : fileURLToPath(name)));
}

async function restart(): Promise<void> {
  await stopService();
  // A separate process group, so that Ctrl-C reaches it once: on a second signal it exits at once.
  const child = spawn(process.execPath, ['--enable-source-maps', 'dist/main.js', ...process.argv.slice(2)], {
    cwd: root,
    stdio: 'inherit',
    detached: true,
  });
  service = child;
  child.on('exit', (code, signal) => {
    if (service === child)
      log(`The service exited (${String(code ?? signal)}). It starts again after the next change.`);
  });
}

function isRunning(): boolean {
  return service !== undefined && service.exitCode === null && service.signalCode === null;
}

async function stopService(): Promise<void> {
  const child = service;
  const wasRunning = isRunning();
  service = undefined;
  if (child === undefined || !wasRunning) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

async function stop(): Promise<void> {
  await watcher.close();
  await stopService();
  process.exit();
}

function log(message: string): void {
  console.error(`dev: ${message}`);
}
