import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@contract-server/test-support/machine/free-port.js';
import {
  giveToPostgres,
  postgresOwner,
  postgresPrograms,
} from '@contract-server/test-support/machine/postgres-programs.js';
import { temporaryDirectory } from './paths.js';

/** Starts PostgreSQL, each commit of which is on disk, and Redis without persistence. They stop with this process. */
export async function startStores() {
  const [postgresPort, redisPort] = [String(await freePort()), String(await freePort())];
  const directory = temporaryDirectory();
  const data = join(directory, 'data');
  giveToPostgres(directory);
  const postgres = (program: string, ...args: readonly string[]) =>
    execFileSync(join(postgresPrograms ?? '', program), ['-D', data, ...args], { ...postgresOwner, stdio: 'ignore' });
  postgres('initdb', '--auth=trust', '--username=petstore', '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync');
  const settings = `-p ${postgresPort} -c listen_addresses=127.0.0.1 -c unix_socket_directories=`;
  postgres('pg_ctl', 'start', '-w', '-l', join(directory, 'log'), '-o', settings);
  const args = ['--port', redisPort, '--bind', '127.0.0.1', '--save', '', '--dir', temporaryDirectory()];
  const redis = spawn('redis-server', args, { stdio: 'ignore' });
  process.prependOnceListener('exit', () => {
    redis.kill('SIGKILL');
    postgres('pg_ctl', 'stop', '-m', 'immediate');
  });
  return {
    env: {
      DATABASE_URL: `postgres://petstore@127.0.0.1:${postgresPort}/postgres`,
      REDIS_URL: `redis://127.0.0.1:${redisPort}`,
    },
    pids: [Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n', 1)[0]), redis.pid ?? NaN],
  };
}
