import type { RedisTarget } from '../../database/redis/redis-target.js';
import { withTimeout } from '../../lib/timeout.js';
import { connectTimeoutMs, createClusterClient, createServerClient, type Server } from './clients.js';
import { findMaster } from './sentinels.js';

type Client = ReturnType<typeof createServerClient> | ReturnType<typeof createClusterClient>;

/**
 * A connection that is never reopened. A lost one is closed and replaced, so that no command is queued or sent twice,
 * and no late response is used.
 */
export class RedisConnection {
  /** Called when the connection is lost. */
  onLost: (error: Error) => void = () => undefined;

  private constructor(
    private readonly client: Client,
    private readonly sockets: AbortController,
    private readonly responseTimeoutMs: number,
    /** Whether the server is a cluster, in which a script can use the keys of one slot only. */
    readonly isCluster: boolean,
  ) {
    const lose = (error: Error) => this.onLost(error);
    client.on('error', lose).on('node-error', lose);
  }

  /**
   * @param responseTimeoutMs the timeout of each command.
   * @throws Error if the connection fails or times out.
   */
  static async open(target: RedisTarget, responseTimeoutMs: number): Promise<RedisConnection> {
    const sockets = new AbortController();
    const isCluster = target.kind === 'cluster';
    const client = isCluster
      ? createClusterClient(target, sockets.signal)
      : createServerClient(await resolveServer(target), sockets.signal);
    const connection = new RedisConnection(client, sockets, responseTimeoutMs, isCluster);
    try {
      await withTimeout(connect(client), connectTimeoutMs);
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  /** @param keys of one slot, if the server is a cluster: one per request. */
  consume(keys: string[], ...args: readonly string[]) {
    return withTimeout(this.client.consume(keys, ...args), this.responseTimeoutMs);
  }

  peek(key: string, time: string) {
    return withTimeout(this.client.peek(key, time), this.responseTimeoutMs);
  }

  unban(key: string, ...args: readonly string[]) {
    return withTimeout(this.client.unban(key, ...args), this.responseTimeoutMs);
  }

  readDataSet(key: string, ...args: readonly string[]) {
    return withTimeout(this.client.readDataSet(key, ...args), this.responseTimeoutMs);
  }

  get(key: string): Promise<string | null> {
    return withTimeout(this.client.get(key), this.responseTimeoutMs);
  }

  /** Rejects the commands in progress. */
  close(): void {
    this.onLost = () => undefined;
    this.client.destroy();
    this.sockets.abort();
  }
}

/** A cluster is connected when each of its primaries is: otherwise the requests of some clients would fail. */
async function connect(client: Client): Promise<void> {
  await client.connect();
  if ('masters' in client) await Promise.all(client.masters.map((primary) => client.nodeClient(primary)));
}

async function resolveServer(target: RedisTarget): Promise<Server> {
  const { kind, path = '', addresses } = target;
  if (kind === 'socket') return { ...target, address: { path } };
  const address = kind === 'sentinel' ? await findMaster(target) : addresses[0];
  if (address === undefined) throw new TypeError('The address is missing.');
  return { ...target, address };
}
