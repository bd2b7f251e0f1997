import { readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startRedisCluster } from '@contract-server/test-support/redis/redis-cluster.js';
import { describeWithRedis, eventually, type RedisServer } from '@contract-server/test-support/redis/redis-server.js';
import { expect } from 'chai';
import type { PetClient } from '../support/clients/pet-client.js';
import { type ServerProcess, startWithKey } from '../support/servers/server-process.js';

/** Maximum time until a complete cluster is used again, in milliseconds. */
const returnMs = 5000;
/** The service stops within its 6.5 s for requests in flight; without any, long before. In milliseconds. */
const stopMs = 4000;

/** How many sockets a process has open. */
function socketCountOf(pid: number): number {
  const directory = `/proc/${String(pid)}/fd`;
  const targets = readdirSync(directory).map((name) => {
    try {
      return readlinkSync(join(directory, name));
    } catch {
      // It was closed since the directory was read.
      return '';
    }
  });
  return targets.filter((target) => target.startsWith('socket:')).length;
}

describeWithRedis('a node on a Redis Cluster of three primaries', function () {
  this.timeout(120_000);
  let primaries: RedisServer[];
  let node: ServerProcess;
  let client: PetClient;

  /** Starts a node that is given the addresses of some primaries, and kills the first one. */
  async function startAndKill(known: (all: readonly RedisServer[]) => readonly RedisServer[]): Promise<void> {
    primaries = await startRedisCluster(3);
    const addresses = known(primaries).map(({ port }) => `127.0.0.1:${String(port)}`);
    ({ server: node, client } = await startWithKey({ REDIS_URL: `redis-cluster://${addresses.join(',')}` }));
    expect((await client.list()).status).to.equal(200);
    expect(node.outages).to.deep.equal([]);
    await primaries[0]?.kill();
    await node.waitForLog(/has been unavailable/);
  }

  it('opens a bounded number of sockets while one of them is down, and exits in time on SIGTERM', async () => {
    await startAndKill((all) => all.slice(1, 2));
    const counts: number[] = [];
    for (let second = 0; second < 8; second += 1) {
      await delay(1000);
      expect((await client.list()).status).to.equal(200);
      counts.push(socketCountOf(node.pid));
    }
    // An attempt in progress has additional sockets.
    const [before, after] = [Math.max(...counts.slice(0, 4)), Math.min(...counts.slice(4))];
    expect(after, `sockets second by second: ${counts.join()}`).to.be.at.most(before);
    expect(await Promise.race([node.stop(), delay(stopMs, 'still running')])).to.deep.equal({ code: 0, signal: null });
  });

  it('uses no primary while one is down, and all when it is back', async () => {
    await startAndKill((all) => all);
    for (let second = 0; second < 5; second += 1) {
      await delay(1000);
      expect((await client.list()).status).to.equal(200);
    }
    expect(node.outages).to.have.length(1);
    await primaries[0]?.run();
    const isBack = () => / is available again\. /.test(node.outages.join());
    await eventually('it used the cluster', isBack, 30_000 + returnMs);
  });
});
