import { setMaxListeners } from 'node:events';
import { createClient, createCluster } from '@redis/client';
import type { RedisAddress, RedisTarget } from '../../database/redis/redis-target.js';
import { rateLimitScripts } from './scripts.js';

/** How long it may take to get connected, in milliseconds. */
export const connectTimeoutMs = 1000;
/** How often a connection that nobody uses is used, in milliseconds: some servers and firewalls cut idle ones. */
const pingIntervalMs = 30_000;

/** How to get into one server. */
export interface Server extends Pick<RedisTarget, 'isEncrypted' | 'username' | 'password' | 'database'> {
  readonly place: RedisAddress | { readonly path: string };
}

/** @param signal closes its socket, even one that is still connecting, which the client's own `destroy` leaves open. */
export function createServerClient({ place, isEncrypted, database, ...access }: Server, signal: AbortSignal) {
  const socket = { ...place, ...sockets, signal };
  return createClient({
    ...clients,
    ...accessOf(access),
    database,
    socket: isEncrypted ? { ...socket, tls: true } : socket,
    scripts: rateLimitScripts,
    commandOptions: withoutTimeout,
  });
}

/** @param signal closes every socket, also those that the client opens after its `destroy`. */
export function createClusterClient({ addresses, isEncrypted, ...access }: RedisTarget, signal: AbortSignal) {
  setMaxListeners(0, signal);
  const socket = { ...sockets, signal };
  return createCluster({
    // A connection that reads the topology lasts no longer than connecting may.
    rootNodes: addresses.map((address) => ({ socket: { ...address, socketTimeout: connectTimeoutMs } })),
    // Otherwise it connects to every node while it reads the topology, and forgets those connections when one of them
    // fails.
    minimizeConnections: true,
    defaults: { ...clients, ...accessOf(access), socket: isEncrypted ? { ...socket, tls: true } : socket },
    scripts: rateLimitScripts,
    commandOptions: withoutTimeout,
  });
}

/** A connection has one life: a lost one is not opened again, and no command waits for one. */
const sockets = { connectTimeout: connectTimeoutMs, reconnectStrategy: false } as const;
const clients = {
  disableOfflineQueue: true,
  pingInterval: pingIntervalMs,
  disableClientInfo: true,
  maintNotifications: 'disabled',
} as const;
/** The client's own costs more than all the rest of a command, and covers only the time until it is sent. */
const withoutTimeout = { timeout: 0 };

function accessOf({ username, password }: Pick<RedisTarget, 'username' | 'password'>) {
  return { ...(username !== undefined && { username }), ...(password !== undefined && { password }) };
}
