import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '@contract-server/test-support/machine/free-port.js';
import { cpuUsOf, familyOf, residentMebibytesOf } from '@contract-server/test-support/machine/process-usage.js';
import type { Catalogue } from './catalogue.js';
import { rootPath, temporaryDirectory } from './paths.js';

/** What is measured: a program on its initial data. */
export interface Contestant {
  readonly name: string;
  /** The arguments of Node, in the root of the project. */
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly catalogue: Catalogue;
  /** The names of the cases that it serves, each of which warms it up; all by default. */
  readonly serves?: readonly string[];
  /** The names of the cases in which it is measured; all that it serves by default. */
  readonly measuredIn?: readonly string[];
  /** The numbers of connections with which it is measured; all by default. */
  readonly connections?: readonly number[];
  /** The ids of its stores, whose CPU time is part of a request. With stores, it runs on all cores. */
  readonly stores?: readonly number[];
  /** The number of items whose memory is measured: 0 for the contestant that lacks them. */
  readonly items?: number;
}

const { scripts } = JSON.parse(readFileSync(rootPath('package.json'), 'utf8')) as { scripts: { start: string } };

/** As `npm start` runs it: the options of Node, and the program. */
export const service = {
  name: 'service',
  args: scripts.start.replace('exec node ', '').split(' '),
  env: { LOG_LEVEL: 'warn' },
};

export type MeasuredServer = Awaited<ReturnType<typeof startServer>>;

const startTimeoutMs = 15_000;
/** The interval of the attempts, which is the accuracy of `startMs`. */
const retryMs = 5;
/** How long a server may take for a garbage collection. */
const settleMs = 1000;

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts a contestant with its own copy of the initial data. Without stores, it runs on core 0, and wrk on core 1. */
export async function startServer(contestant: Contestant) {
  const { name, catalogue, stores = [] } = contestant;
  const [directory, port] = [temporaryDirectory(), String(await freePort())];
  const url = `http://127.0.0.1:${port}`;
  cpSync(catalogue.directory, directory, { recursive: true });
  const startedAt = performance.now();
  const cores = contestant.stores === undefined ? '0' : `0-${String(availableParallelism() - 1)}`;
  const child = spawn('taskset', ['--cpu-list', cores, process.execPath, ...contestant.args], {
    cwd: rootPath(''),
    // No other variables: NODE_OPTIONS, for example, would distort the results.
    env: { NODE_ENV: 'production', PORT: port, DATA_DIR: directory, ...contestant.env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  running.add(child.once('exit', () => running.delete(child)));
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  // With any status.
  while (!(await fetch(`${url}/v1/pets/1`).then(Boolean, () => false))) {
    if (child.exitCode !== null || performance.now() - startedAt > startTimeoutMs)
      throw new Error(`${name} does not start: ${errors}`);
    await delay(retryMs);
  }
  const startMs = performance.now() - startedAt;
  const pid = child.pid ?? NaN; // of the command, by which `taskset` replaces itself
  const memory = () => sum(familyOf(pid).map(residentMebibytesOf));
  return {
    contestant,
    url,
    /** The time from the command to the first response, in milliseconds, and the memory after it, in mebibytes. */
    startMs,
    startMebibytes: memory(),
    /** The memory that it uses, in mebibytes. */
    mebibytes: memory,
    /** The CPU time that it and its stores have used, in microseconds, with their child processes. */
    cpuUs: () => sum([pid, ...stores].flatMap(familyOf).map(cpuUsOf)),
    async collectedMebibytes(): Promise<number> {
      process.kill(pid, 'SIGUSR2');
      await delay(settleMs);
      return memory();
    },
    isStopped: () => child.killed,
    async stop(): Promise<void> {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      rmSync(directory, { recursive: true });
    },
  };
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
