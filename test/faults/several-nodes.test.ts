import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { petstoreJson } from '../support/cli/command-line.js';
import { describePostgres, sharedPostgres } from '../support/postgres/postgres.js';
import { describeWithRedis, RedisServer } from '../support/redis/redis-server.js';
import { ServerProcess } from '../support/servers/server-process.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const perMinute = 20;

describePostgres('several nodes on PostgreSQL', () => {
  describeWithRedis('and Redis', () => {
    it('share pets, keys, limits and retries', async function () {
      this.timeout(60_000);
      const redis = await RedisServer.start();
      const url = await (await sharedPostgres()).createDatabase();
      // Both nodes use one data directory, which only works if nothing is stored in it.
      const directory = join(temporaryDirectory(), 'data');
      const env = { DATA_DIR: directory, DATABASE_URL: url, REDIS_URL: redis.url };
      const nodes = await Promise.all([ServerProcess.start(env), ServerProcess.start(env)]);
      const key = [
        'keys',
        'create',
        '--name',
        'app',
        '--plan',
        'enterprise',
        '--per-minute',
        String(perMinute),
        '--per-day',
        '100',
      ];
      const { token } = await petstoreJson<{ token: string }>(key, { directory, env, clock: Date.now });
      const headers = {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'idempotency-key': 'one',
      };
      const body = '{"name":"Rex","categoryId":7}';
      const responses = await Promise.all(
        Array.from({ length: 3 * perMinute }, async (_, index) => {
          const baseUrl = nodes[index % nodes.length]?.baseUrl ?? '';
          const response = await fetch(`${baseUrl}/pets`, { method: 'POST', headers, body });
          return { status: response.status, body: (await response.json()) as { id?: number } };
        }),
      );
      const rejected = responses.filter(({ status }) => status === 429);
      expect(rejected).to.have.lengthOf(2 * perMinute);
      const created = responses.filter(({ status }) => status === 201);
      expect(created).to.have.lengthOf.above(0);
      expect(new Set(created.map(({ body: { id } }) => id))).to.deep.equal(new Set([1]));
      // A retry on the node of the first request receives 409 while that is in progress.
      expect(responses.every(({ status }) => [201, 409, 429].includes(status))).to.equal(true);
      for (const node of nodes) {
        expect(await node.stop()).to.deep.equal({ code: 0, signal: null });
        expect(node.stderr).to.not.contain('Warning');
      }
      expect(existsSync(directory)).to.equal(false);
      await redis.kill();
    });
  });
});
