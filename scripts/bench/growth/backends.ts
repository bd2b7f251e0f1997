import { type SpawnOptions, type SpawnSyncOptions, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../machine/free-port.js';
import { giveToPostgres, postgresOwner, postgresPrograms } from '../../machine/postgres-programs.js';
import { startProcess } from '../start-process.js';
import { temporaryDirectory } from '../temporary-directory.js';

/** A database server that nodes share. */
export interface Backend {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

const pauseMs = 50;
const startTimeoutMs = 20_000;

/**
 * A separate PostgreSQL with its default settings: each commit is on disk.
 *
 * @param changed settings, as `name=value`. @throws if its programs are missing.
 */
export async function startPostgres(changed: readonly string[] = []): Promise<Backend> {
  if (postgresPrograms === undefined) throw new Error('The programs of PostgreSQL are missing.');
  const directory = temporaryDirectory();
  giveToPostgres(directory);
  const options: SpawnSyncOptions & SpawnOptions = {
    ...postgresOwner,
    cwd: directory,
    stdio: ['ignore', 'ignore', 'inherit'],
  };
  const data = join(directory, 'data');
  const port = String(await freePort());
  const making = [
    '-D',
    data,
    '--auth=trust',
    '--username=petstore',
    '--encoding=UTF8',
    '--locale=C.UTF-8',
    '--no-sync',
  ];
  if (spawnSync(join(postgresPrograms, 'initdb'), making, options).status !== 0)
    throw new Error('PostgreSQL cannot be had: initdb failed.');
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'log_min_messages=fatal', ...changed];
  const args = ['-D', data, '-p', port, ...settings.flatMap((setting) => ['-c', setting])];
  const child = startProcess(join(postgresPrograms, 'postgres'), args, options);
  const createDatabase = ['--host=127.0.0.1', `--port=${port}`, '--username=petstore', 'bench'];
  const deadline = Date.now() + startTimeoutMs;
  while (spawnSync(join(postgresPrograms, 'createdb'), createDatabase, { ...options, stdio: 'ignore' }).status !== 0) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error('PostgreSQL does not start.');
    await delay(pauseMs);
  }
  return backendOf(child, `postgres://petstore@127.0.0.1:${port}/bench`);
}

/** A separate Redis without persistence. @throws if its program is missing. */
export async function startRedis(): Promise<Backend> {
  const port = String(await freePort());
  const args = ['--port', port, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const child = startProcess('redis-server', args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    cwd: temporaryDirectory(),
  });
  await once(child, 'spawn');
  return backendOf(child, `redis://127.0.0.1:${port}`);
}

function backendOf(child: ReturnType<typeof startProcess>, url: string): Backend {
  return {
    url,
    pid: child.pid ?? NaN,
    stop: async () => {
      const ended = once(child, 'exit');
      // SIGINT makes PostgreSQL close its connections (fast shutdown).
      child.kill('SIGINT');
      await ended;
    },
  };
}
