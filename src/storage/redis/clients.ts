import { createClient, createCluster } from '@redis/client';
import { limitScripts } from './limit-scripts.js';
import type { RedisAddress, RedisTarget } from './redis-target.js';

/** How long it may take to get connected, in milliseconds. */
export const connectTimeoutMs = 1000;
/** How often a connection that nobody uses is used, in milliseconds: some servers and firewalls cut idle ones. */
const pingIntervalMs = 30_000;

/** How to get into one server. */
export interface Server extends Pick<RedisTarget, 'isEncrypted' | 'username' | 'password' | 'database'> {
  readonly place: RedisAddress | { readonly path: string };
}

export function createServerClient({ place, isEncrypted, database, ...access }: Server) {
  const socket = { ...place, ...sockets };
  return createClient({
    ...clients,
    ...accessOf(access),
    database,
    socket: isEncrypted ? { ...socket, tls: true } : socket,
    scripts: limitScripts,
    commandOptions: withoutTimeout,
  });
}

export function createClusterClient({ addresses, isEncrypted, ...access }: RedisTarget) {
  return createCluster({
    // What the nodes are asked for their topology lasts no longer than getting connected may.
    rootNodes: addresses.map((address) => ({ socket: { ...address, socketTimeout: connectTimeoutMs } })),
    defaults: { ...clients, ...accessOf(access), socket: isEncrypted ? { ...sockets, tls: true } : sockets },
    scripts: limitScripts,
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
