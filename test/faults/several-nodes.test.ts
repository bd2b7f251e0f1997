import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { petstoreJson } from '../support/cli/command-line.js';
import { send } from '../support/clients/send.js';
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
      // Both nodes use one data directory, which only works if nothing is stored in it.
      const directory = join(temporaryDirectory(), 'data');
      const databaseUrl = await (await sharedPostgres()).createDatabase();
      const env = { DATA_DIR: directory, DATABASE_URL: databaseUrl, REDIS_URL: redis.url };
      const nodes = await Promise.all([ServerProcess.start(env), ServerProcess.start(env)]);
      const plan = ['--plan', 'enterprise', '--per-minute', String(perMinute), '--per-day', '100'];
      const create = ['keys', 'create', '--name', 'app', ...plan];
      const { token } = await petstoreJson<{ token: string }>(create, { directory, env, clock: Date.now });
      const creation = { headers: { 'idempotency-key': 'one' }, body: '{"name":"Rex","categoryId":7}' };
      const requests = Array.from({ length: 3 * perMinute }, (_, index) =>
        send(`${String(nodes[index % nodes.length]?.baseUrl)}/pets`, token, creation),
      );
      const responses = await Promise.all(requests);
      expect(responses.filter(({ status }) => status === 429)).to.have.lengthOf(2 * perMinute);
      const created = responses.filter(({ status }) => status === 201);
      const ids = created.map(({ text }) => (JSON.parse(text) as { id: number }).id);
      expect(new Set(ids)).to.deep.equal(new Set([1]));
      // A retry on the node of the first request receives 409 while that is in progress.
      expect(responses.filter(({ status }) => ![201, 409, 429].includes(status))).to.deep.equal([]);
      for (const node of nodes) {
        await node.stop();
        expect(node.stderr).to.not.contain('Warning');
      }
      expect(existsSync(directory)).to.equal(false);
    });
  });
});
