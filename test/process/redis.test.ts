import { execFile } from 'node:child_process';
import { chmodSync, cpSync } from 'node:fs';
import { Agent, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { freePort } from '../../scripts/machine/free-port.js';
import { petstore, petstoreJson } from '../support/cli/command-line.js';
import { get } from '../support/clients/get.js';
import { describeWithRedis, eventually, RedisServer } from '../support/redis/redis-server.js';
import { ServerProcess } from '../support/servers/server-process.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

/** Responses take at most 250 ms longer; a busy machine can delay them by more than that. */
const responseMs = 1000;
const returnMs = 5000;

interface IssuedKey {
  readonly id: string;
  readonly token: string;
}

const isAllowed = ({ statusCode }: IncomingMessage) => statusCode === 200;
const clock = Date.now;

describeWithRedis('several servers on one Redis', function () {
  this.timeout(90_000);
  let redis: RedisServer;
  let servers: ServerProcess[];
  let directory: string;
  let agent: Agent;
  let requestCount = 0;
  beforeEach(async () => {
    redis = await RedisServer.start();
    servers = [];
    directory = temporaryDirectory();
    agent = new Agent({ keepAlive: true, maxSockets: 32 });
  });
  afterEach(async () => {
    agent.destroy();
    await Promise.all(servers.map((server) => server.stop()));
    await redis.kill();
  });

  const here = () => ({ directory, clock, env: { REDIS_URL: redis.url } });

  function createKey(...options: readonly string[]): Promise<IssuedKey> {
    const plan = options.length > 0 ? ['--plan', 'enterprise', ...options] : ['--plan', 'free'];
    return petstoreJson<IssuedKey>(['keys', 'create', '--name', 'shared', ...plan], here());
  }

  /** Servers with a copy of the keys each. */
  async function startServers(count: number, url = redis.url): Promise<void> {
    const directories = Array.from({ length: count }, (_, index) => `${directory}-${String(index)}`);
    for (const copy of directories) {
      cpSync(directory, copy, { recursive: true });
      // Node 24 does not copy the mode of a directory.
      chmodSync(copy, 0o700);
    }
    servers = directories.map((copy) => new ServerProcess({ DATA_DIR: copy, REDIS_URL: url }));
    await Promise.all(servers.map((server) => server.listening()));
  }

  /** Requests to each server in turn. */
  function sendRequest(token: string, count: number): Promise<IncomingMessage[]> {
    const urls = Array.from({ length: count }, () => {
      requestCount += 1;
      return `${String(servers[requestCount % servers.length]?.baseUrl)}/pets`;
    });
    return Promise.all(urls.map((url) => get(url, token, agent)));
  }

  it('allow exactly 60 of 500 requests of a free key, and show each remaining number once', async () => {
    const { token } = await createKey();
    await startServers(3);
    const responses = await sendRequest(token, 500);
    const remaining = responses.filter(isAllowed).map(({ headers }) => Number(headers['x-ratelimit-remaining']));
    expect(remaining.sort((a, b) => b - a)).to.deep.equal(Array.from({ length: 60 }, (_, index) => 59 - index));
    expect(responses.filter(({ statusCode }) => statusCode === 429)).to.have.length(440);
    for (const { stderr, alarms } of servers) {
      expect(stderr).to.contain(`\n  Quotas    ${redis.url}\n`);
      expect(stderr).to.match(
        /^Warning: quotas_shared_alone: [^\n]* Run one node, set DATABASE_URL, or leave REDIS_URL out\.$/m,
      );
      expect(alarms.map(({ code }) => code)).to.deep.equal(['quotas_shared_alone']);
    }
  });

  it('ban a key together, and apply a lifted ban with the next request', async () => {
    const { id, token } = await createKey('--per-minute', '1', '--per-day', '1000000');
    await startServers(2);
    await sendRequest(token, 5);
    const usage = async () =>
      (await petstoreJson<{ usedThisDay: number; bannedUntil: string | null }[]>(['keys', 'usage', id], here()))[0];
    expect(await usage()).to.include({ usedThisDay: 1, bannedUntil: null });
    await sendRequest(token, 10);
    for (const { statusCode, headers } of await sendRequest(token, 4)) {
      expect([statusCode, Number(headers['retry-after']) > 800]).to.deep.equal([429, true]);
    }
    expect((await usage())?.bannedUntil).to.be.a('string');
    expect((await petstore(['keys', 'unban', id], here())).exitCode).to.equal(0);
    expect((await sendRequest(token, 2)).filter(isAllowed), 'at once').to.have.length(1);
    expect(await usage()).to.include({ usedThisDay: 2, bannedUntil: null });
  });

  it('respond in time, with every header, while Redis is stopped, and count together again afterwards', async () => {
    const { token } = await createKey('--per-minute', '100000', '--per-day', '1000000');
    await startServers(2);
    const slowest = { ms: 0 };
    let isAsking = true;
    const client = async () => {
      while (isAsking) {
        const startedAt = performance.now();
        const [response] = await sendRequest(token, 1);
        slowest.ms = Math.max(slowest.ms, performance.now() - startedAt);
        expect(response?.statusCode).to.equal(200);
        expect(response?.headers).to.include.keys(
          'x-ratelimit-limit',
          'x-ratelimit-remaining',
          'x-ratelimit-reset',
          'ratelimit',
        );
        await delay(5);
      }
    };
    const clients = Promise.all(Array.from({ length: 8 }, client));
    await delay(500);
    redis.pause();
    await delay(3000);
    redis.resume();
    await eventually(
      'both had printed the warning',
      () => servers.every(({ outages }) => / is available again\. /.test(outages.join())),
      returnMs,
    );
    isAsking = false;
    await clients;
    expect(slowest.ms).to.be.lessThan(responseMs);
  });

  it('start without Redis with a warning; an invalid URL prevents the start, and is not repeated', async () => {
    await createKey();
    await redis.kill();
    await startServers(1);
    await servers[0]?.waitForStderr(/^Warning: redis_unreachable: .* Check Redis, or correct REDIS_URL\.$/m);
    await servers[0]?.waitForLog(/has been unavailable/);
    expect(servers[0]?.outages.join()).to.match(
      /^Redis at \S+ has been unavailable since \S+: connect ECONNREFUSED [^,]+, so this node counts by itself\.$/,
    );
    const { exitCode, stderr } = await petstore(['keys', 'usage'], here());
    expect([exitCode, stderr]).to.deep.equal([
      1,
      `error: the store is unavailable: Redis at ${redis.url}: connect ECONNREFUSED 127.0.0.1:${String(redis.port)}\n`,
    ]);
    await redis.run();
    await eventually('it used Redis', () => servers[0]?.outages.length === 2, returnMs);

    const wrong = new ServerProcess({ DATA_DIR: directory, REDIS_URL: 'http://shop:hush@127.0.0.1' });
    expect(await wrong.ended).to.deep.equal({ code: 2, signal: null });
    expect(wrong.stderr)
      .to.match(/^error: REDIS_URL is invalid; it must have a form like /)
      .and.not.match(/hush/);
  });

  it('trust only the certificate authorities of NODE_EXTRA_CA_CERTS on encrypted connections', async () => {
    await createKey();
    const [port, certificate, key] = [await freePort(), join(directory, 'ca.pem'), join(directory, 'ca.key')];
    const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
    const files = ['-keyout', key, '-out', certificate];
    await promisify(execFile)('openssl', [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      ...names,
      ...files,
    ]);
    const tls = [
      '--tls-port',
      String(port),
      '--tls-auth-clients',
      'no',
      '--tls-cert-file',
      certificate,
      '--tls-key-file',
      key,
    ];
    const encrypted = await RedisServer.start(...tls, '--tls-ca-cert-file', certificate);
    const url = `rediss://localhost:${String(port)}`;
    for (const [ca, isTrusted] of [
      ['', false],
      [certificate, true],
    ] as const) {
      const server = new ServerProcess({ DATA_DIR: directory, REDIS_URL: url, NODE_EXTRA_CA_CERTS: ca });
      await server.listening();
      await server.stop();
      expect(/has been unavailable since .*: self-signed certificate/.test(server.outages.join())).to.equal(!isTrusted);
    }
    await encrypted.kill();
  });
});
