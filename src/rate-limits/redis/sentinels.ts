import type { RedisAddress, RedisTarget } from '../../database/redis/redis-target.js';
import { withTimeout } from '../../lib/timeout.js';
import { connectTimeoutMs, createServerClient } from './clients.js';

/**
 * Queries all Sentinels at once, with and without the credentials of Redis, and returns the first address of the
 * master. The library's own Sentinel client resends commands when the master changes, which would count requests twice.
 *
 * @throws AggregateError if no Sentinel knows the master.
 */
export function findMaster(target: RedisTarget): Promise<RedisAddress> {
  const anonymous = { ...target, username: undefined, password: undefined };
  const accesses = target.password === undefined ? [anonymous] : [anonymous, target];
  return Promise.any(target.addresses.flatMap((address) => accesses.map((access) => querySentinel(address, access))));
}

async function querySentinel(
  address: RedisAddress,
  { masterName = '', ...access }: RedisTarget,
): Promise<RedisAddress> {
  const sockets = new AbortController();
  const client = createServerClient({ ...access, address, database: 0 }, sockets.signal);
  client.on('error', () => undefined);
  const query = async () => {
    await client.connect();
    return client.sendCommand<[host: string, port: string] | null>(['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', masterName]);
  };
  try {
    const master = await withTimeout(query(), connectTimeoutMs);
    if (master === null) throw new Error(`the Sentinel at ${address.host} has no master named ${masterName}`);
    return { host: master[0], port: Number(master[1]) };
  } finally {
    client.destroy();
    sockets.abort();
  }
}
