import { setMaxListeners } from 'node:events';
import { createClient, createCluster } from '@redis/client';
import type { RedisAddress, RedisTarget } from '../../database/redis/redis-target.js';
import { rateLimitScripts } from './scripts.js';

/** Timeout of connecting, in milliseconds. */
export const connectTimeoutMs = 1000;
/** Some servers and firewalls close idle connections. */
const pingIntervalMs = 30_000;

export interface Server extends Pick<RedisTarget, 'isEncrypted' | 'username' | 'password' | 'database'> {
  readonly address: RedisAddress | { readonly path: string };
}

/** @param signal closes the socket, also while it is connecting, when the client's `destroy` leaves it open. */
export function createServerClient({ address, isEncrypted, database, ...access }: Server, signal: AbortSignal) {
  const socket = { ...address, ...sockets, signal };
  return createClient({
    ...clients,
    ...accessOf(access),
    database,
    socket: isEncrypted ? { ...socket, tls: true } : socket,
    scripts: rateLimitScripts,
    commandOptions: withoutTimeout,
  });
}

/** @param signal closes every socket, also those that the client opens after `destroy`. */
export function createClusterClient({ addresses, isEncrypted, ...access }: RedisTarget, signal: AbortSignal) {
  setMaxListeners(0, signal);
  const socket = { ...sockets, signal };
  return createCluster({
    // Limits the connections that read the topology, too.
    rootNodes: addresses.map((address) => ({ socket: { ...address, socketTimeout: connectTimeoutMs } })),
    // Otherwise the client connects to every node to read the topology, and leaks these connections if one fails.
    minimizeConnections: true,
    defaults: { ...clients, ...accessOf(access), socket: isEncrypted ? { ...socket, tls: true } : socket },
    scripts: rateLimitScripts,
    commandOptions: withoutTimeout,
  });
}

/** The client never reconnects, and queues no command while it is disconnected. */
const sockets = { connectTimeout: connectTimeoutMs, reconnectStrategy: false } as const;
const clients = {
  disableOfflineQueue: true,
  pingInterval: pingIntervalMs,
  disableClientInfo: true,
  maintNotifications: 'disabled',
} as const;
/** The client's own timeout is slower than the rest of a command, and ends when the command is sent. */
const withoutTimeout = { timeout: 0 };

function accessOf({ username, password }: Pick<RedisTarget, 'username' | 'password'>) {
  return { ...(username !== undefined && { username }), ...(password !== undefined && { password }) };
}
