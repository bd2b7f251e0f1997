import { setMaxListeners } from 'node:events';
import { readFileSync } from 'node:fs';
import { type CommandParser, createClient, createCluster, defineScript } from '@redis/client';
import { withTimeout } from '../lib/timeout.js';
import type { RedisTarget } from './redis-target.js';

/** Timeout of connecting, in milliseconds. */
const connectTimeoutMs = 1000;
/** Some servers and firewalls close idle connections. */
const pingIntervalMs = 30_000;

/** Called by its SHA-1, and sent in full if the server has not loaded it. */
const scripts = {
  consume: defineScript({
    SCRIPT: readFileSync(new URL('consume.lua', import.meta.url), 'utf8'),
    parseCommand: (parser: CommandParser, keys: string[], args: readonly (string | number)[]) => {
      parser.pushKeysLength(keys);
      parser.push(...args.map(String));
    },
    transformReply: (reply: unknown): unknown => reply,
  }),
};

type RedisClient = ReturnType<typeof createServerClient> | ReturnType<typeof createClusterClient>;

/** `close` rejects the commands in progress. */
export type RedisConnection = Awaited<ReturnType<typeof connectRedis>>;

/**
 * Opens a connection that queues no command and is never reopened: its owner replaces a lost one, so no command is sent
 * twice, and no late response is used.
 *
 * @param onLost is called when the connection is lost. @throws Error if the connection fails or times out.
 */
export async function connectRedis(target: RedisTarget, onLost: (error: Error) => void) {
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
