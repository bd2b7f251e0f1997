import { execFile } from 'node:child_process';
import { chmodSync, cpSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { toys, toysJson } from '@contract-server/test-support/cli/toys.js';
import { send } from '@contract-server/test-support/clients/send.js';
import { freePort } from '@contract-server/test-support/machine/free-port.js';
import { readMetrics } from '@contract-server/test-support/metrics.js';
import { describeWithRedis, eventually, RedisServer } from '@contract-server/test-support/redis/redis-server.js';
import { ToysProcess } from '@contract-server/test-support/servers/toys-process.js';
import { temporaryDirectory } from '@contract-server/test-support/temporary-directory.js';
import { expect } from 'chai';

const returnMs = 5000;

describeWithRedis('the server command with REDIS_URL', function () {
  this.timeout(90_000);
  let redis: RedisServer;
  let directory: string;
  beforeEach(async () => {
    redis = await RedisServer.start();
    directory = temporaryDirectory();
  });

  const here = () => ({ directory, clock: Date.now, env: { REDIS_URL: redis.url } });
  const start = (env = {}) =>
    ToysProcess.start({ DATA_DIR: directory, REDIS_URL: redis.url, METRICS_PORT: '0', ...env });

  it('bans a key on several servers, and applies a lifted ban with the next request', async () => {
    const plan = ['--plan', 'enterprise', '--per-minute', '1', '--per-day', '1000000'];
    const create = ['keys', 'create', '--name', 'shared', ...plan];
    const { id, token } = await toysJson<{ id: string; token: string }>(create, here());
    // A copy of the keys. Node 24 does not copy the mode of a directory.
    const copy = temporaryDirectory();
    cpSync(directory, copy, { recursive: true });
    chmodSync(copy, 0o700);
    const servers = [await start(), await start({ DATA_DIR: copy })];
    for (const server of servers) {
      await server.waitForStderr(
        /^Warning: quotas_shared_alone: [^\n]* Run one node, set DATABASE_URL, or leave REDIS_URL out\.$/m,
      );
      await server.waitForLog(/quotas_shared_alone/);
      expect(server.stderr).to.contain(`\n  Quotas    ${redis.url}\n`);
      expect(server.alarms.map(({ code }) => code)).to.deep.equal(['quotas_shared_alone']);
    }
    /** Requests to each server in turn. */
    const sendRequests = (count: number) =>
      Promise.all(
        Array.from({ length: count }, (_, index) => send(`${String(servers[index % 2]?.baseUrl)}/toys`, token)),
      );
    const usage = async () =>
      (await toysJson<{ usedThisDay: number; bannedUntil: string | null }[]>(['keys', 'usage', id], here()))[0];
    await sendRequests(5);
    expect(await usage()).to.include({ usedThisDay: 1, bannedUntil: null });
    const calls = 'toys_store_operation_duration_seconds_count{store="quotas",operation="consume"}';
    for (const [index, { metricsUrl }] of servers.entries())
      expect((await readMetrics(metricsUrl)).get(calls)).to.equal(3 - index);
    await sendRequests(10);
    for (const { status, headers } of await sendRequests(4))
      expect([status, Number(headers['retry-after']) > 800]).to.deep.equal([429, true]);
    expect((await usage())?.bannedUntil).to.be.a('string');
    expect((await toys(['keys', 'unban', id], here())).exitCode).to.equal(0);
    expect(
      (await sendRequests(2)).filter(({ status }) => status === 200),
      'at once',
    ).to.have.length(1);
    expect(await usage()).to.include({ usedThisDay: 2, bannedUntil: null });
  });

  it('starts without Redis with a warning, and uses it when it is available', async () => {
    await redis.kill();
    const server = await start({ REDIS_URL: redis.url.replace('//', '//default:secret@') });
    await server.waitForStderr(/^Warning: redis_unreachable: .* Check Redis, or correct REDIS_URL\.$/m);
    await server.waitForLog(/has been unavailable/);
    expect(server.lines.find(({ msg }) => msg === 'started')).to.include({ redis: redis.url });
    expect(server.stdout + server.stderr).to.not.contain('secret');
    expect(server.outages.join()).to.match(
      /^Redis at \S+ has been unavailable since \S+: connect ECONNREFUSED [^,]+, so this node counts by itself\.$/,
    );
    const { exitCode, stderr } = await toys(['keys', 'usage'], here());
    expect([exitCode, stderr]).to.deep.equal([
      1,
      `error: the store is unavailable: Redis at ${redis.url}: connect ECONNREFUSED 127.0.0.1:${String(redis.port)}\n`,
    ]);
    await redis.run();
    await eventually('it used Redis', () => server.outages.length === 2, returnMs);
  });

  it('trusts only the certificate authorities of NODE_EXTRA_CA_CERTS on encrypted connections', async () => {
    const [port, certificate, key] = [await freePort(), join(directory, 'ca.pem'), join(directory, 'ca.key')];
    await promisify(execFile)('openssl', [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', '/CN=localhost'],
      ...['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1', '-keyout', key, '-out', certificate],
    ]);
    const files = ['--tls-cert-file', certificate, '--tls-key-file', key, '--tls-ca-cert-file', certificate];
    await RedisServer.start('--tls-port', String(port), '--tls-auth-clients', 'no', ...files);
    for (const ca of ['', certificate]) {
      const server = await start({ REDIS_URL: `rediss://localhost:${String(port)}`, NODE_EXTRA_CA_CERTS: ca });
      await server.stop();
      const isRejected = /has been unavailable since .*: self-signed certificate/.test(server.outages.join());
      expect(isRejected).to.equal(ca === '');
    }
  });
});
