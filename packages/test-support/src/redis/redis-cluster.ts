import { freePort } from '../machine/free-port.js';
import { eventually, RedisServer } from './redis-server.js';

const slotCount = 16_384;

/**
 * Starts primaries without replicas that share the slots evenly, and waits until each of them sees the whole cluster.
 */
export async function startRedisCluster(size: number): Promise<RedisServer[]> {
  const primaries: RedisServer[] = [];
  for (let index = 0; index < size; index += 1) {
    const bus = ['--cluster-port', String(await freePort()), '--cluster-node-timeout', '30000'];
    const primary = await RedisServer.start('--cluster-enabled', 'yes', ...bus);
    const firstSlotOf = (position: number) => Math.floor((slotCount * position) / size);
    await primary.call('CLUSTER', 'ADDSLOTSRANGE', String(firstSlotOf(index)), String(firstSlotOf(index + 1) - 1));
    primaries.push(primary);
  }
  const [first, ...others] = primaries;
  for (const other of others) {
    const busPort = /@(\d+)/.exec(await other.call<string>('CLUSTER', 'NODES'))?.[1] ?? '';
    await first?.call('CLUSTER', 'MEET', '127.0.0.1', String(other.port), busPort);
  }
  for (const primary of primaries) {
    const isComplete = async () =>
      /cluster_state:ok[^]*cluster_slots_ok:16384/.test(await primary.call('CLUSTER', 'INFO'));
    await eventually('the cluster was complete', isComplete, 20_000);
  }
  return primaries;
}
