import type { RedisAddress, RedisTarget } from '../../database/redis/redis-target.js';
import { withTimeout } from '../../lib/timeout.js';
import { connectTimeoutMs, createServerClient } from './clients.js';

/**
 * Asks all Sentinels at once where the master is, and believes the first that knows. They may want the user and the
 * password of Redis, or none. The library's own client for Sentinels sends commands again when the master changes,
 * which would count requests twice.
 *
 * @throws AggregateError if none of them knows.
 */
export function findMaster(target: RedisTarget): Promise<RedisAddress> {
  const anonymous = { ...target, username: undefined, password: undefined };
  const accesses = target.password === undefined ? [anonymous] : [anonymous, target];
  return Promise.any(target.addresses.flatMap((address) => accesses.map((access) => askSentinel(address, access))));
}

async function askSentinel(place: RedisAddress, { masterName = '', ...access }: RedisTarget): Promise<RedisAddress> {
  const sockets = new AbortController();
  const client = createServerClient({ ...access, place, database: 0 }, sockets.signal);
  client.on('error', () => undefined);
  const ask = async () => {
    await client.connect();
    return client.sendCommand<[host: string, port: string] | null>(['SENTINEL', 'GET-MASTER-ADDR-BY-NAME', masterName]);
  };
  try {
    const answer = await withTimeout(ask(), connectTimeoutMs);
    if (answer === null) throw new Error(`the Sentinel at ${place.host} knows no master named ${masterName}`);
    return { host: answer[0], port: Number(answer[1]) };
  } finally {
    client.destroy();
    sockets.abort();
  }
}
