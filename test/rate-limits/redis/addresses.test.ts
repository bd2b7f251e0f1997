import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parseRedisTarget } from '#src/database/redis/redis-target.js';
import type { StoreEvent } from '#src/lib/errors.js';
import type { Quota } from '#src/rate-limits/quota-store.js';
import { FailoverRateLimitStore } from '#src/rate-limits/redis/failover-store.js';
import { RedisUsageAdministration } from '#src/rate-limits/redis/usage-administration.js';
import { rules } from '../../support/rate-limits/quota.js';
import { startRedisCluster } from '../../support/redis/redis-cluster.js';
import { describeWithRedis, eventually, RedisServer } from '../../support/redis/redis-server.js';

const quotaOf = (id: string): Quota => ({
  kind: 'quota',
  id,
  limits: { requestsPerMinute: 5, requestsPerDay: 50 },
});

/** The permissions that the documentation lists for a restricted user. */
const needed = '~petstore:* +eval +evalsha +get +set +time +ping +hello +select';

describeWithRedis('the address of Redis', function () {
  this.timeout(60_000);
  const opened: { close(): unknown }[] = [];
  afterEach(async () => {
    for (const one of opened.splice(0).reverse()) await one.close();
  });

  async function start(...options: readonly string[]): Promise<RedisServer> {
    const redis = await RedisServer.start(...options);
    opened.push({ close: () => redis.kill() });
    return redis;
  }

  /** Starts a node that counts in the Redis of a URL. Returns it with its log. */
  async function countIn(url: string): Promise<{ store: FailoverRateLimitStore; reported: string[] }> {
    const reported: string[] = [];
    const store = new FailoverRateLimitStore(
      parseRedisTarget(url),
      rules,
      Date.now,
      (event) => void reported.push((event as StoreEvent).message),
    );
    opened.push(store);
    await store.start();
    return { store, reported };
  }

  /** Counts with one URL and reads the usage with another. */
  async function assertCounts(url: string, seenAt = url): Promise<void> {
    const { store, reported } = await countIn(url);
    await Promise.all(Array.from({ length: 9 }, () => store.consume(quotaOf('a'))));
    expect(reported).to.deep.equal([]);
    const administration = new RedisUsageAdministration(parseRedisTarget(seenAt));
    expect((await administration.usage(['a', 'b'])).get('a')).to.deep.include({ minuteUsed: 5, minuteRejected: 4 });
    await administration.unban('a');
    expect((await administration.usage(['a'])).get('a')).to.deep.include({ minuteUsed: 5, minuteRejected: 0 });
  }

  it('may have a user with only the documented permissions, and a password with any characters', async () => {
    const redis = await start();
    await redis.call('ACL', 'SETUSER', 'shop', 'on', '>p@ss:w/rd%', 'resetkeys', ...needed.split(' '));
    expect(readFileSync(new URL('../../../../docs/operations.md', import.meta.url), 'utf8')).to.contain(
      `\`${needed}\``,
    );
    await assertCounts(redis.url.replace('//', '//shop:p%40ss%3Aw%2Frd%25@'));
  });

  it('may have only a password; a wrong one is reported without repeating it', async () => {
    const redis = await start('--requirepass', 'open sesame');
    await assertCounts(redis.url.replace('//', '//:open%20sesame@'));
    const { store, reported } = await countIn(redis.url.replace('//', '//someone:hush@'));
    expect(store.isDegraded).to.equal(true);
    expect(reported).to.have.length(1);
    expect(reported[0])
      .to.match(/^Redis at redis:\/\/127\.0\.0\.1:\d+ has been unavailable since \S+: WRONGPASS /)
      .and.not.match(/hush|someone/);
    expect((await store.consume(quotaOf('a'))).rejectedBy).to.equal(undefined);
  });

  it('may have a database number', async () => {
    const redis = await start();
    await assertCounts(`${redis.url}/3`);
    expect(await redis.call('INFO', 'keyspace'))
      .to.match(/^db3:keys=2,/m)
      .and.not.match(/^db0:/m);
  });

  it('may be a Unix socket', async () => {
    const redis = await start();
    const path = join(redis.directory, 'redis.sock');
    await redis.kill();
    const local = await start('--unixsocket', path);
    await assertCounts(`unix://${path}?db=2`, `${local.url}/2`);
  });

  it('may name Sentinels: the node follows a failover to another master', async () => {
    const master = await start();
    const replica = await start('--replicaof', '127.0.0.1', String(master.port));
    await eventually(
      'the replica had caught up',
      async () => /master_link_status:up/.test(await replica.call('INFO')),
      10_000,
    );
    const sentinel = await RedisServer.startSentinel(master, 'shop');
    opened.push({ close: () => sentinel.kill() });
    const url = `redis-sentinel://127.0.0.1:1,127.0.0.1:${String(sentinel.port)}/0#shop`;
    await assertCounts(url, master.url);
    const { store, reported } = await countIn(url);
    await store.consume(quotaOf('b'));
    await eventually(
      'the Sentinel knew the replica',
      async () => (await sentinel.call<unknown[]>('SENTINEL', 'REPLICAS', 'shop')).length > 0,
      15_000,
    );
    await master.kill();
    expect((await store.consume(quotaOf('b'))).reportedWindow.remaining).to.equal(3);
    await eventually('the replica was master and used', () => !store.isDegraded, 20_000);
    expect(reported).to.have.length(1);
    expect(
      (await store.consume(quotaOf('b'))).reportedWindow.remaining,
      'the new master has the counts of the old one, and those of this node during the failover',
    ).to.equal(2);
    expect((await new RedisUsageAdministration(parseRedisTarget(replica.url)).usage(['b'])).get('b')).to.include({
      minuteUsed: 3,
    });
  });

  it('may name Sentinels that require the password', async () => {
    const master = await start('--requirepass', 'hush');
    const sentinel = await RedisServer.startSentinel(
      master,
      'shop',
      'requirepass hush',
      'sentinel auth-pass shop hush',
    );
    opened.push({ close: () => sentinel.kill() });
    const url = `redis-sentinel://:hush@127.0.0.1:${String(sentinel.port)}/1#shop`;
    await assertCounts(url, master.url.replace('//', '//:hush@').concat('/1'));
    expect((await countIn(url.replace(':hush@', ''))).reported[0]).to.contain('NOAUTH');
  });

  it('reports Sentinels that do not know the master or do not respond', async () => {
    const sentinel = await RedisServer.startSentinel(await start(), 'shop');
    opened.push({ close: () => sentinel.kill() });
    const place = `127.0.0.1:${String(sentinel.port)}`;
    expect((await countIn(`redis-sentinel://${place}#other`)).reported[0]).to.contain('has no master named other');
    expect((await countIn('redis-sentinel://127.0.0.1:1#shop')).reported[0]).to.contain('ECONNREFUSED');
  });

  it('may name nodes of a cluster: each quota is counted on one of them', async () => {
    const nodes = await startRedisCluster(2);
    for (const node of nodes) opened.push({ close: () => node.kill() });
    const url = `redis-cluster://127.0.0.1:1,127.0.0.1:${String(nodes[1]?.port)}`;
    await assertCounts(url);
    const { store, reported } = await countIn(url);
    const ids = Array.from({ length: 20 }, (_, index) => `quota-${String(index)}`);
    const requests = Array.from({ length: 8 }, () => ids).flat();
    const decisions = await Promise.all(requests.map((id) => store.consume(quotaOf(id))));
    for (const id of ids) {
      const allowed = decisions.filter(({ rejectedBy }, index) => requests[index] === id && rejectedBy === undefined);
      expect(allowed, id).to.have.length(5);
    }
    for (const node of nodes) expect(await node.call<number>('DBSIZE')).to.be.greaterThan(3);
    expect(reported).to.deep.equal([]);

    nodes[0]?.pause();
    await Promise.all(ids.map((id) => store.consume({ ...quotaOf(id), kind: 'address' })));
    expect(store.isDegraded).to.equal(true);
    nodes[0]?.resume();
    await eventually('the cluster was used again', () => !store.isDegraded, 5000);
  });
});
