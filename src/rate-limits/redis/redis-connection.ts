import type { RedisTarget } from '../../database/redis/redis-target.js';
import { withTimeout } from '../../lib/timeout.js';
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
      await withTimeout(connect(client), connectTimeoutMs);
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  consume(key: string, ...args: readonly string[]) {
    return withTimeout(this.client.consume(key, ...args), this.answerTimeoutMs);
  }

  peek(key: string, time: string) {
    return withTimeout(this.client.peek(key, time), this.answerTimeoutMs);
  }

  unban(key: string, ...args: readonly string[]) {
    return withTimeout(this.client.unban(key, ...args), this.answerTimeoutMs);
  }

  readDataSet(key: string, ...args: readonly string[]) {
    return withTimeout(this.client.readDataSet(key, ...args), this.answerTimeoutMs);
  }

  get(key: string): Promise<string | null> {
    return withTimeout(this.client.get(key), this.answerTimeoutMs);
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

/** Maximum length of a message in the log: a server may send any error text. */
const lengthMax = 200;

/**
 * Why something of Redis's failed, in words. Where a name has several addresses, Node says nothing but what was wrong
 * with each.
 */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  const text = error instanceof Error && error.message !== '' ? error.message : String(error);
  return text.length > lengthMax ? `${text.slice(0, lengthMax)}…` : text;
}
