import { setMaxListeners } from 'node:events';
import { readFileSync } from 'node:fs';
import type { BanRule, LimitedQuota } from '@contract-server/core/contract/document.js';
import type { Clock } from '@contract-server/core/lib/clock.js';
import { type CommandParser, createClient, createCluster, defineScript } from '@redis/client';
import { createBatchLoader } from '../database/batch-loader.js';
import { packageFolder } from '../lib/package-folder.js';
import { withTimeout } from '../lib/timeout.js';
import { type Decision, resetFields, toDecision } from './decide.js';
import type { QuotaStore } from './quota-store.js';
import type { RedisTarget } from './redis-target.js';

interface QuotaRequest {
  readonly quota: LimitedQuota;
  readonly isCounted: boolean;
}

/** Timeout of connecting, in milliseconds. */
const connectTimeoutMs = 1000;
/** Some servers and firewalls close idle connections. */
const pingIntervalMs = 30_000;

/** Called by its SHA-1, and sent in full if the server has not loaded it. */
const scripts = {
  consume: defineScript({
    SCRIPT: readFileSync(new URL('lua/consume.lua', packageFolder), 'utf8'),
    parseCommand: (parser: CommandParser, keys: string[], args: readonly (string | number)[]) => {
      parser.pushKeysLength(keys);
      parser.push(...args.map(String));
    },
    transformReply: (reply: unknown): unknown => reply,
  }),
};

/** Maximum number of requests per call of the script, during which Redis does nothing else. */
const batchSizeMax = 100;

/**
 * The quotas of any number of nodes in Redis: one hash per quota, with an expiry. One call of a script decides about
 * all requests of an event-loop tick, by the clock of Redis; in a cluster, about one request, because a call may use
 * the keys of one slot only. Methods reject if Redis does not respond in time.
 */
export class RedisQuotaStore implements QuotaStore {
  private readonly load: (request: QuotaRequest) => Promise<Decision>;

  private constructor(
    private readonly keyPrefix: string,
    private readonly connection: RedisConnection,
    private readonly rule: BanRule,
    private readonly timeoutMs: number,
    /** For tests, instead of the clock of Redis. */
    private readonly clock?: Clock,
  ) {
    const maxBatchSize = 'masters' in connection.client ? 1 : batchSizeMax;
    this.load = createBatchLoader((requests: readonly QuotaRequest[]) => this.callScript(requests), { maxBatchSize });
  }

  /** @param onLost is called when the connection is lost. @throws Error if the connection fails or times out. */
  static async open(
    keyPrefix: string,
    target: RedisTarget,
    rule: BanRule,
    timeoutMs: number,
    onLost: (error: Error) => void = () => undefined,
    clock?: Clock,
  ): Promise<RedisQuotaStore> {
    return new RedisQuotaStore(keyPrefix, await connectRedis(target, onLost), rule, timeoutMs, clock);
  }

  consume(quota: LimitedQuota): Promise<Decision> {
    return this.load({ quota, isCounted: true });
  }

  peek(quota: LimitedQuota): Promise<Decision> {
    return this.load({ quota, isCounted: false });
  }

  async reset(id: string): Promise<void> {
    await withTimeout(this.connection.client.hDel(this.keyOf(id), Object.keys(resetFields)), this.timeoutMs);
  }

  /** Rejects the commands in progress. */
  close(): Promise<void> {
    this.connection.close();
    return Promise.resolve();
  }

  private keyOf(quotaId: string): string {
    return `${this.keyPrefix}:quotas:${quotaId}`;
  }

  private async callScript(requests: readonly QuotaRequest[]): Promise<Decision[]> {
    const { rejectedRequestsFactor, seconds } = this.rule;
    const keys = requests.map(({ quota: { id } }) => this.keyOf(id));
    const args = requests.flatMap(({ quota: { limits }, isCounted }) => {
      return [limits.requestsPerMinute, limits.requestsPerDay, Number(isCounted)];
    });
    const common = [this.clock?.() ?? '', rejectedRequestsFactor, seconds * 1000];
    const reply = await withTimeout(this.connection.client.consume(keys, [...common, ...args]), this.timeoutMs);
    return requests.map(({ quota }, index) => readDecision((reply as unknown[] | null)?.[index], quota));
  }
}

/** @throws TypeError for anything else than the reply of the script. */
function readDecision(reply: unknown, { limits }: LimitedQuota): Decision {
  if (!Array.isArray(reply) || reply.length !== 9 || !reply.every(Number.isSafeInteger))
    throw new TypeError('unexpected reply');
  const [now, isRejected, beginsBan, minuteStartedAt, minuteUsed, minuteRejected, dayStartedAt, dayUsed, bannedUntil] =
    reply as [number, number, number, number, number, number, number, number, number];
  const state = { minuteStartedAt, minuteUsed, minuteRejected, dayStartedAt, dayUsed, bannedUntil };
  return toDecision(state, limits, now, isRejected === 1, beginsBan === 1);
}

type RedisClient = ReturnType<typeof createServerClient> | ReturnType<typeof createClusterClient>;

/** `close` rejects the commands in progress. */
type RedisConnection = Awaited<ReturnType<typeof connectRedis>>;

/**
 * Opens a connection that queues no command and is never reopened: its owner replaces a lost one, so no command is sent
 * twice, and no late response is used.
 */
async function connectRedis(target: RedisTarget, onLost: (error: Error) => void) {
  // Closes every socket, also those that the client opens after it was destroyed.
  const sockets = new AbortController();
  setMaxListeners(0, sockets.signal);
  const client = (target.isCluster ? createClusterClient : createServerClient)(target, sockets.signal);
  const close = () => {
    client.destroy();
    sockets.abort();
  };
  client.on('error', onLost).on('node-error', onLost);
  try {
    await withTimeout(connect(client), connectTimeoutMs);
    return { client, close };
  } catch (error) {
    close();
    throw error;
  }
}

/** A cluster is connected when each of its primaries is: otherwise the requests of some clients would fail. */
async function connect(client: RedisClient): Promise<void> {
  await client.connect();
  if ('masters' in client) await Promise.all(client.masters.map((primary) => client.nodeClient(primary)));
}

function createServerClient({ urls: [url = ''] }: RedisTarget, signal: AbortSignal) {
  return createClient({ ...clientOptions(signal), url, scripts });
}

function createClusterClient({ urls, username, password, isEncrypted }: RedisTarget, signal: AbortSignal) {
  const { socket, ...options } = clientOptions(signal);
  return createCluster({
    rootNodes: urls.map((url) => ({ url })),
    // Otherwise it connects to every node to read the topology, and leaks these connections if one fails.
    minimizeConnections: true,
    defaults: { ...options, username, password, socket: isEncrypted ? { ...socket, tls: true } : socket },
    scripts,
  });
}

/** New options for each client, because the library changes them. */
function clientOptions(signal: AbortSignal) {
  return {
    disableOfflineQueue: true,
    disableClientInfo: true,
    pingInterval: pingIntervalMs,
    maintNotifications: 'disabled',
    // The timeout of the library ends when a command is sent.
    commandOptions: { timeout: 0 },
    socket: { connectTimeout: connectTimeoutMs, reconnectStrategy: false, signal },
  } as const;
}
