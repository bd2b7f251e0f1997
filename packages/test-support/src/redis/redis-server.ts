import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '@redis/client';
import { closeLater } from '../closing.js';
import { freePort } from '../machine/free-port.js';
import { describeUnless, reasonToSkipWithout } from '../requirements.js';
import { type Ending, watchChild } from '../servers/child-process.js';
import { temporaryDirectory } from '../temporary-directory.js';

/** Why tests with Redis are skipped, or `undefined`. */
export const redisToSkip = reasonToSkipWithout('redis-server');

/** A suite that needs Redis. */
export function describeWithRedis(title: string, suite: (this: Mocha.Suite) => void): void {
  describeUnless(redisToSkip, title, suite);
}

let shared: Promise<RedisServer> | undefined;

/** The URL of an empty database of the Redis that the test run shares. No test may stop it. */
export async function sharedRedisUrl(): Promise<string> {
  const port = process.env['PETSTORE_TEST_REDIS'];
  const server =
    port === undefined ? await (shared ??= RedisServer.launch('--databases', '10000')) : RedisServer.at(port);
  return `${server.url}/${String(await server.call('INCR', 'databases'))}`;
}

/** A Redis for one test, on a free port, without persistence. */
export class RedisServer {
  private child: ChildProcess | undefined;
  private ended: Promise<Ending> | undefined;

  private constructor(
    readonly port: number,
    readonly directory: string,
    private readonly args: readonly string[],
  ) {}

  /** A server that another process has started. */
  static at(port: string): RedisServer {
    return new RedisServer(Number(port), '', []);
  }

  /** Starts a server with additional command-line options, which is killed after the test or file. */
  static async start(...options: readonly string[]): Promise<RedisServer> {
    const server = await RedisServer.launch(...options);
    closeLater(() => server.kill());
    return server;
  }

  /** Starts a server that runs until this process ends. */
  static async launch(...options: readonly string[]): Promise<RedisServer> {
    const port = await freePort();
    const directory = temporaryDirectory();
    const place = ['--port', String(port), '--bind', '127.0.0.1', '--dir', directory];
    // By default, a primary waits 5 s for further replicas before it copies its data.
    const immediately = ['--save', '', '--appendonly', 'no', '--repl-diskless-sync-delay', '0'];
    const server = new RedisServer(port, directory, [...place, ...immediately, ...options]);
    await server.run();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${String(this.port)}`;
  }

  /** Starts the server, empty, on its port. */
  async run(): Promise<void> {
    const child = spawn('redis-server', [...this.args], { stdio: ['ignore', 'pipe', 'inherit'] });
    this.child = child;
    this.ended = watchChild(child);
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    while (!/Ready to accept connections/.test(output)) {
      await Promise.race([once(child.stdout, 'data'), this.ended]);
      if (child.exitCode !== null) throw new Error(`redis-server ended: ${output}`);
    }
  }

  /** Kills it, as a crash does. */
  async kill(): Promise<void> {
    this.child?.kill('SIGKILL');
    await this.ended;
  }

  /** Stops the process: connections stay open and are accepted, but receive no response. */
  pause(): void {
    this.child?.kill('SIGSTOP');
  }

  resume(): void {
    this.child?.kill('SIGCONT');
  }

  /** The reply to a command, on a separate connection. */
  async call<T>(...command: readonly string[]): Promise<T> {
    const client = await createClient({ url: this.url })
      .on('error', () => undefined)
      .connect();
    try {
      return await client.sendCommand<T>([...command]);
    } finally {
      client.destroy();
    }
  }
}

type Condition = () => boolean | Promise<boolean>;

/** Resolves when a condition is met. @throws after a timeout. */
export async function eventually(what: string, holds: Condition, withinMs: number): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`It took longer than ${String(withinMs)} ms until ${what}.`);
    await delay(20);
  }
}
