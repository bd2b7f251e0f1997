import { cpSync } from 'node:fs';
import { Agent, type IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { petstore, petstoreJson } from '../support/cli/command-line.js';
import { get } from '../support/clients/get.js';
import { readMetrics } from '../support/metrics.js';
import { describeWithRedis, eventually, RedisServer } from '../support/redis/redis-server.js';
import { ServerProcess } from '../support/servers/server-process.js';
import { SlowProxy } from '../support/servers/slow-proxy.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const clock = Date.now;
const perMinute = 300;
/** Maximum number of allowed requests in a window in which Redis has lost the counters: 5 % above the limit. */
const allowedMax = perMinute * 1.05;
/** Maximum time until Redis is used again, in milliseconds. */
const returnMs = 5000;

const isAllowed = ({ statusCode }: IncomingMessage) => statusCode === 200;

describeWithRedis('three servers whose Redis loses counters', function () {
  this.timeout(90_000);
  // A machine that is busy with other suites may stop Redis for the 150 ms after which the servers count by themselves.
  this.retries(2);
  let primary: RedisServer;
  let replica: RedisServer;
  /** The address that a failover moves from one server to the other. */
  let proxy: SlowProxy;
  let servers: ServerProcess[];
  let directory: string;
  let agent: Agent;
  let requestCount = 0;
  beforeEach(async () => {
    primary = await RedisServer.start();
    replica = await RedisServer.start('--replicaof', '127.0.0.1', String(primary.port));
    proxy = await SlowProxy.before(primary.port);
    directory = temporaryDirectory();
    agent = new Agent({ keepAlive: true, maxSockets: 32 });
    servers = [];
  });
  afterEach(async () => {
    agent.destroy();
    await Promise.all(servers.map((server) => server.stop()));
    proxy.close();
    await Promise.all([primary.kill(), replica.kill()]);
  });

  const here = () => ({ directory, clock, env: { REDIS_URL: proxy.url } });

  async function createKey(requestsPerMinute = perMinute): Promise<{ id: string; token: string }> {
    const plan = ['--plan', 'enterprise', '--per-minute', String(requestsPerMinute), '--per-day', '1000000'];
    return petstoreJson(['keys', 'create', '--name', 'shared', ...plan], here());
  }

  /** Servers with a copy of the keys each. */
  async function startServers(): Promise<void> {
    servers = Array.from({ length: 3 }, () => {
      const copy = temporaryDirectory();
      cpSync(directory, copy, { recursive: true });
      return new ServerProcess({ DATA_DIR: copy, REDIS_URL: proxy.url, METRICS_PORT: '0' });
    });
    await Promise.all(servers.map((server) => server.listening()));
  }

  /** Requests to each server in turn, or all to one of them. */
  async function sendRequest(token: string, count: number, server?: ServerProcess): Promise<IncomingMessage[]> {
    const urls = Array.from({ length: count }, () => {
      requestCount += 1;
      return `${String((server ?? servers[requestCount % servers.length])?.baseUrl)}/pets`;
    });
    return Promise.all(urls.map((url) => get(url, token, agent)));
  }

  const allowedCountOf = async (token: string, count: number, server?: ServerProcess) =>
    (await sendRequest(token, count, server)).filter(isAllowed).length;

  const haveReported = (pattern: RegExp) => servers.every(({ outages }) => outages.some((line) => pattern.test(line)));

  /** The replica, which lacks what was written after it lost its primary, replaces it. */
  async function failOver(): Promise<void> {
    await primary.kill();
    proxy.target = replica.port;
  }

  async function restartEmpty(): Promise<void> {
    await primary.kill();
    await primary.run();
  }

  const flush = () => primary.call('FLUSHALL');

  for (const [title, lose, isDisconnected] of [
    ['FLUSHALL', flush, false],
    ['Redis was killed and started empty', restartEmpty, true],
    ['a failover to a replica that lacks the last writes', failOver, true],
  ] as const) {
    it(`allow exactly the limit after ${title}, and log the loss once`, async () => {
      const { token } = await createKey();
      await startServers();
      let allowed = await allowedCountOf(token, 100);
      await eventually('the replica was up to date', isReplicaUpToDate, returnMs);
      await replica.call('REPLICAOF', 'NO', 'ONE');
      allowed += await allowedCountOf(token, 97);
      // One after the other, so that each server reads the counts of the others.
      for (const server of servers) allowed += await allowedCountOf(token, 1, server);
      expect(allowed).to.equal(200);
      await lose();
      if (isDisconnected)
        await eventually('all used Redis again', () => haveReported(/ is available again\. /), returnMs);
      allowed += await allowedCountOf(token, 600);
      const reported = servers.flatMap((server) => server.outages).join('\n');
      expect(allowed, reported).to.be.within(perMinute, allowedMax);
      if (!isDisconnected) {
        await eventually('all had logged the loss', () => haveReported(/ has lost counters/), returnMs);
        expect(servers.flatMap((server) => server.outages).join('\n')).to.not.contain('has been unavailable');
      }
      const losses = servers.map(({ outages }) => outages.filter((line) => / has lost counters/.test(line)).length);
      // After the failover, a node may find that another one has written everything back.
      if (lose === failOver) expect(losses).to.include(1).and.not.include(2);
      else expect(losses).to.deep.equal([1, 1, 1]);
      const metrics = await Promise.all(servers.map(({ metricsUrl }) => readMetrics(metricsUrl)));
      expect(metrics.map((one) => one.get('petstore_counter_losses_total'))).to.deep.equal(losses);
    });

    it(`allow at most 5 % above the limit if requests continue during ${title}`, async () => {
      const { token } = await createKey();
      await startServers();
      let allowed = 0;
      const counts = { requests: 0 };
      let isAsking = true;
      const client = async () => {
        while (isAsking) {
          counts.requests += 1;
          const [response] = await sendRequest(token, 1);
          if (response !== undefined && isAllowed(response)) allowed += 1;
          await delay(30);
        }
      };
      const clients = Promise.all(Array.from({ length: 3 }, client));
      await eventually('there were enough requests', () => counts.requests >= 150, 20_000);
      await replica.call('REPLICAOF', 'NO', 'ONE');
      await eventually('there were a few more', () => counts.requests >= 160, 20_000);
      await lose();
      await eventually('the limit was reached', () => counts.requests >= 2 * perMinute, 20_000);
      isAsking = false;
      await clients;
      allowed += await allowedCountOf(token, 50);
      expect(allowed).to.be.within(perMinute, allowedMax);
    });
  }

  it('write back counters that only one of them knows, even without requests', async () => {
    const { token } = await createKey();
    await startServers();
    expect(await allowedCountOf(token, perMinute, servers[0])).to.equal(perMinute);
    await primary.call('FLUSHALL');
    await servers[0]?.waitForLog(/has lost counters/);
    await delay(500);
    expect(await allowedCountOf(token, perMinute, servers[1])).to.equal(0);
  });

  it('write back a ban, but never one that an operator has lifted', async () => {
    const [{ token }, lifted] = [await createKey(), await createKey()];
    await startServers();
    await Promise.all([sendRequest(token, 3), sendRequest(lifted.token, 3)]);
    for (const key of await primary.call<string[]>('KEYS', 'petstore:quota:*')) {
      const state = JSON.parse(await primary.call<string>('GET', key)) as object;
      const banned = { ...state, bans: 1, bannedAt: clock(), bannedUntil: clock() + 900_000 };
      await primary.call('SET', key, JSON.stringify(banned), 'KEEPTTL');
    }
    const codesOf = async (key: string) => (await sendRequest(key, 6)).map(({ statusCode }) => statusCode);
    expect(await codesOf(token)).to.deep.equal(Array(6).fill(429));
    expect(await codesOf(lifted.token)).to.deep.equal(Array(6).fill(429));
    expect((await petstore(['keys', 'unban', lifted.id], here())).exitCode).to.equal(0);
    for (const [lose, reported] of [
      [flush, / has lost counters/],
      [restartEmpty, / is available again\. /],
    ] as const) {
      await lose();
      expect(await codesOf(token)).to.deep.equal(Array(6).fill(429));
      expect(await codesOf(lifted.token)).to.deep.equal(Array(6).fill(200));
      await eventually('all had restored the counters', () => haveReported(reported), returnMs);
      expect(await codesOf(token)).to.deep.equal(Array(6).fill(429));
      expect(await codesOf(lifted.token)).to.deep.equal(Array(6).fill(200));
    }
  });

  async function isReplicaUpToDate(): Promise<boolean> {
    const offsetOf = async (server: RedisServer) =>
      /(?:slave|master)_repl_offset:(\d+)/.exec(await server.call<string>('INFO', 'replication'))?.[1];
    return (await offsetOf(primary)) === (await offsetOf(replica));
  }
});
