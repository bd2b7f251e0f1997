import { join } from 'node:path';
import { freePort } from '@contract-server/test-support/machine/free-port.js';
import { sharedPostgres } from '@contract-server/test-support/postgres/postgres.js';
import { RedisServer } from '@contract-server/test-support/redis/redis-server.js';
import { temporaryDirectory } from '@contract-server/test-support/temporary-directory.js';
import { petstoreJson } from '../cli/command-line.js';
import { Nginx } from './nginx.js';
import { ServerProcess } from './server-process.js';

/** The number of nodes in `deploy/nginx.conf`. */
const nodeCount = 3;

/** A node that always has the same address. */
export class FleetNode {
  private constructor(
    private readonly env: Readonly<Record<string, string>>,
    /** The running process, or the last one. */
    public server: ServerProcess,
  ) {}

  static async start(env: Readonly<Record<string, string>>): Promise<FleetNode> {
    return new FleetNode(env, await ServerProcess.start(env));
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${String(this.env['PORT'])}/v1`;
  }

  /**
   * Starts it while clients send requests, and resolves when the load balancer uses it: for a second it skips a node
   * that refused a connection.
   */
  async rejoin(): Promise<void> {
    this.server = await ServerProcess.start(this.env);
    await this.server.waitForLog(/"msg":"request"/);
  }
}

/** The services of `compose.yaml` as processes: three nodes behind nginx, with one PostgreSQL and one Redis. */
export class Fleet {
  private constructor(
    /** The URL for clients, up to and including the path prefix. */
    readonly baseUrl: string,
    readonly nodes: readonly FleetNode[],
    /** One for all nodes, which only works if nothing is stored in it. */
    readonly dataDirectory: string,
    private readonly stores: Readonly<Record<'DATABASE_URL' | 'REDIS_URL', string>>,
  ) {}

  static async start(): Promise<Fleet> {
    const [redis, postgres] = [await RedisServer.start(), await sharedPostgres()];
    const stores = { DATABASE_URL: await postgres.createDatabase(), REDIS_URL: redis.url };
    const ports = await Promise.all(Array.from({ length: 1 + nodeCount }, freePort));
    const [port = NaN, ...nodePorts] = ports;
    const baseUrl = `http://127.0.0.1:${String(port)}/v1`;
    const dataDirectory = join(temporaryDirectory(), 'data');
    const env = { ...stores, DATA_DIR: dataDirectory, PUBLIC_BASE_URL: baseUrl, TRUST_PROXY: '1' };
    const nodes = await Promise.all(nodePorts.map((nodePort) => FleetNode.start({ ...env, PORT: String(nodePort) })));
    await Nginx.start(nodePorts, { port });
    return new Fleet(baseUrl, nodes, dataDirectory, stores);
  }

  async createKey(...plan: readonly string[]): Promise<string> {
    const options = { env: this.stores, clock: Date.now };
    return (await petstoreJson<{ token: string }>(['keys', 'create', '--name', 'test', ...plan], options)).token;
  }
}
