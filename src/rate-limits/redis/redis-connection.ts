import type { RedisTarget } from '../../database/redis/redis-target.js';
import { within } from '../../lib/timeout.js';
import { connectTimeoutMs, createClusterClient, createServerClient, type Server } from './clients.js';
import { findMaster } from './sentinels.js';

type Client = ReturnType<typeof createServerClient> | ReturnType<typeof createClusterClient>;

/**
 * One life of a connection. It is never mended: whoever finds it dead closes it and opens another. So nothing waits in
 * a queue, nothing is sent twice, and no late answer reaches anybody.
 */
export class RedisConnection {
  /** Called when it dies by itself. */
  onLost: (error: Error) => void = () => undefined;

  private constructor(
    private readonly client: Client,
    private readonly sockets: AbortController,
    private readonly answerTimeoutMs: number,
  ) {
    const lose = (error: Error) => this.onLost(error);
    client.on('error', lose).on('node-error', lose);
  }

  /**
   * @param answerTimeoutMs how long a command may take.
   * @throws if no server answers in time, or it does not let us in.
   */
  static async open(target: RedisTarget, answerTimeoutMs: number): Promise<RedisConnection> {
    const sockets = new AbortController();
    const client =
      target.kind === 'cluster'
        ? createClusterClient(target, sockets.signal)
        : createServerClient(await serverOf(target), sockets.signal);
    const connection = new RedisConnection(client, sockets, answerTimeoutMs);
    try {
      await within(connectTimeoutMs, connect(client));
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  consume(key: string, ...args: readonly string[]) {
    return within(this.answerTimeoutMs, this.client.consume(key, ...args));
  }

  peek(key: string, time: string) {
    return within(this.answerTimeoutMs, this.client.peek(key, time));
  }

  unban(key: string, ...args: readonly string[]) {
    return within(this.answerTimeoutMs, this.client.unban(key, ...args));
  }

  notice(key: string, ...args: readonly string[]) {
    return within(this.answerTimeoutMs, this.client.notice(key, ...args));
  }

  get(key: string): Promise<string | null> {
    return within(this.answerTimeoutMs, this.client.get(key));
  }

  /** Rejects whatever still waits for an answer. */
  close(): void {
    this.onLost = () => undefined;
    this.client.destroy();
    this.sockets.abort();
  }
}

/**
 * A cluster is connected once each of its primaries is: one that is away would fail the requests of its clients alone.
 */
async function connect(client: Client): Promise<void> {
  await client.connect();
  if ('masters' in client) await Promise.all(client.masters.map((primary) => client.nodeClient(primary)));
}

async function serverOf(target: RedisTarget): Promise<Server> {
  const { kind, path = '', addresses } = target;
  if (kind === 'socket') return { ...target, place: { path } };
  const place = kind === 'sentinel' ? await findMaster(target) : addresses[0];
  if (place === undefined) throw new TypeError('No address is given.');
  return { ...target, place };
}
