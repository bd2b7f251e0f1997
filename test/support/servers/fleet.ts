import { freePort } from '../../../scripts/machine/free-port.js';
import { petstoreJson } from '../cli/command-line.js';
import { sharedPostgres } from '../postgres/postgres.js';
import { RedisServer } from '../redis/redis-server.js';
import { temporaryDirectory } from '../temporary-directory.js';
import { Nginx } from './nginx.js';
import { createUnlimitedKey, ServerProcess } from './server-process.js';

/** The number of nodes in `deploy/nginx.conf`. */
const nodeCount = 3;

/** A node that always has the same address. */
export class FleetNode {
  readonly baseUrl: string;
  private process: ServerProcess | undefined;

  constructor(
    readonly port: number,
    private readonly env: Readonly<Record<string, string>>,
  ) {
    this.baseUrl = `http://127.0.0.1:${String(port)}/v1`;
  }

  /** The running process, or the last one. */
  get server(): ServerProcess {
    if (this.process === undefined) throw new Error('The node was never started.');
    return this.process;
  }

  async start(): Promise<void> {
    this.process = await ServerProcess.start({ ...this.env, PORT: String(this.port) });
  }

  /**
   * Starts it while clients send requests, and resolves when the load balancer uses it: for a second it skips a node
   * that refused a connection.
   */
  async rejoin(): Promise<void> {
    await this.start();
    await this.server.waitForLog(/"msg":"request"/);
  }

  async kill(): Promise<void> {
    this.server.kill('SIGKILL');
    await this.server.ended;
  }
}

/**
 * The services of `compose.yaml` as processes of this machine: three nodes behind nginx, with one PostgreSQL and one
 * Redis.
 */
export class Fleet {
  private constructor(
    readonly balancer: Nginx,
    readonly nodes: readonly FleetNode[],
    readonly redis: RedisServer,
    readonly databaseUrl: string,
  ) {}

  static async start(env: Readonly<Record<string, string>> = {}): Promise<Fleet> {
    const [port, ...nodePorts] = await freePorts(1 + nodeCount);
    const [redis, postgres] = await Promise.all([RedisServer.start(), sharedPostgres()]);
    const databaseUrl = await postgres.createDatabase();
    const nodeEnv = {
      DATABASE_URL: databaseUrl,
      REDIS_URL: redis.url,
      PUBLIC_BASE_URL: `http://127.0.0.1:${String(port)}/v1`,
      TRUST_PROXY: '1',
      ...env,
    };
    const nodes = nodePorts.map((nodePort) => new FleetNode(nodePort, nodeEnv));
    await Promise.all(nodes.map((node) => node.start()));
    return new Fleet(await Nginx.start(nodePorts, port), nodes, redis, databaseUrl);
  }

  /** The URL for clients, up to and including the path prefix. */
  get baseUrl(): string {
    return `http://127.0.0.1:${String(this.balancer.port)}/v1`;
  }

  createUnlimitedKey(): Promise<string> {
    return createUnlimitedKey(temporaryDirectory(), this.databaseUrl);
  }

  async createKey(plan: string): Promise<string> {
    const env = { DATABASE_URL: this.databaseUrl, REDIS_URL: this.redis.url };
    const args = ['keys', 'create', '--name', plan, '--plan', plan];
    return (await petstoreJson<{ token: string }>(args, { env, clock: Date.now })).token;
  }

  /** Stops everything except PostgreSQL, which the test run shares. Resolves with the exits of the nodes. */
  async stop() {
    await this.balancer.stop();
    const endings = await Promise.all(this.nodes.map(({ server }) => server.stop()));
    await this.redis.kill();
    return endings;
  }
}

/** Kept open until all are known, so that they differ. */
async function freePorts(count: number): Promise<[number, ...number[]]> {
  const ports = new Set<number>();
  while (ports.size < count) ports.add(await freePort());
  return [...ports] as [number, ...number[]];
}
