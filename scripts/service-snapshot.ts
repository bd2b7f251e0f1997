import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Longer than a start on slow databases, and than a graceful shutdown. */
const timeoutMs = 20_000;

/** A copy of the compiled service and of one version of its contract, which later changes do not affect. */
export interface ServiceSnapshot {
  readonly directory: string;
  readonly contract: Buffer;
}

/** Copies the compiled modules of the project `root` to a new directory in `parent`, below `root`. */
export async function createSnapshot(root: string, parent: string, contract: Buffer): Promise<ServiceSnapshot> {
  const directory = await mkdtemp(join(parent, 'service-'));
  const dist = join(directory, 'dist');
  await cp(join(root, 'dist'), dist, {
    recursive: true,
    filter: (path) => !/\.(d\.ts|tsbuildinfo)$/.test(path),
  });
  for (const file of await readdir(dist, { recursive: true }))
    if (file.endsWith('.js.map')) await keepSources(join(dist, file), join(root, 'dist', file));
  await mkdir(join(directory, 'spec'));
  await writeFile(join(directory, 'spec/petstore.yaml'), contract);
  return { directory, contract };
}

/** Lets the copy of a source map name the sources of the original, so that stack traces do. */
async function keepSources(copy: string, original: string): Promise<void> {
  const sourceRoot = `${pathToFileURL(dirname(original)).href}/`;
  const map = await readFile(copy, 'utf8');
  await writeFile(copy, map.replace('"sourceRoot":""', `"sourceRoot":${JSON.stringify(sourceRoot)}`));
}

export interface StartOptions {
  /** Arguments of the service. */
  readonly args?: readonly string[];
  readonly cwd: string;
  /** By default that of this process. */
  readonly env?: NodeJS.ProcessEnv;
  readonly stdio: StdioOptions;
  /** Kills the process. */
  readonly signal?: AbortSignal;
  /** Receives the process before it is ready. */
  readonly onSpawn?: (service: ChildProcess) => void;
}

export interface StartedService {
  readonly process: ChildProcess;
  /** Why it has exited before it was ready, or `undefined` if it is ready for requests. */
  readonly error: string | undefined;
}

/** Starts the service and waits until it is ready for requests or has exited. Its stderr is piped. */
export async function startSnapshot(
  { directory }: ServiceSnapshot,
  { args = [], onSpawn, ...options }: StartOptions,
): Promise<StartedService> {
  // A separate process group, so that Ctrl-C reaches it once: on a second signal it exits at once.
  const child = spawn(process.execPath, ['--enable-source-maps', join(directory, 'dist/main.js'), ...args], {
    ...options,
    detached: true,
    killSignal: 'SIGKILL',
  });
  onSpawn?.(child);
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  let output = '';
  const isReady = await new Promise<boolean>((resolve) => {
    child.on('error', (error) => (output += String(error))).on('close', () => resolve(false));
    child.stderr?.setEncoding('utf8').on('data', function onData(text: string) {
      output += text;
      if (!/ is at http/.test(output)) return;
      child.stderr?.off('data', onData);
      resolve(true);
    });
  });
  clearTimeout(timer);
  const exit = `exit ${String(child.exitCode ?? child.signalCode)}`;
  return { process: child, error: isReady ? undefined : `${exit}\n${output}`.trim() };
}

export function isRunning(child: ChildProcess): boolean {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null;
}

/** Stops a service gracefully, or kills it if it does not stop. */
export async function stopProcess(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (!isRunning(child)) return;
  const exited = once(child, 'exit');
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  child.kill(signal);
  await exited;
  clearTimeout(timer);
}
