import { describePostgres, sharedPostgres } from '@contract-server/test-support/postgres/postgres.js';
import type { PostgresServer } from '@contract-server/test-support/postgres/postgres-server.js';
import { temporaryDirectory } from '@contract-server/test-support/temporary-directory.js';
import { expect } from 'chai';
import { PetClient } from '../support/clients/pet-client.js';
import { postgresMigrations } from '../support/pet-store.js';
import { createUnlimitedKey, ServerProcess } from '../support/servers/server-process.js';

describePostgres('the server command on PostgreSQL', () => {
  let postgres: PostgresServer;
  const directory = temporaryDirectory();
  before(async () => (postgres = await sharedPostgres()));

  it('starts five times concurrently on an empty database, and applies each migration once', async function () {
    this.timeout(60_000);
    const url = await postgres.createDatabase();
    const env = { DATA_DIR: directory, DATABASE_URL: url };
    const nodes = await Promise.all(Array.from({ length: 5 }, () => ServerProcess.start(env)));
    const rows = await postgres.query('SELECT part, version FROM applied_migrations', url);
    expect(rows).to.have.deep.members(postgresMigrations.map(({ part, version }) => ({ part, version })));
    const token = await createUnlimitedKey(directory, url);
    const clients = nodes.map(({ baseUrl }) => new PetClient(baseUrl, token));
    await Promise.all(clients.map((client) => client.createMany(1)));
    const ids = clients.flatMap(({ acknowledged }) => acknowledged.map(({ id }) => id));
    expect(ids.sort((one, other) => one - other)).to.deep.equal([1, 2, 3, 4, 5]);
    for (const node of nodes) {
      await node.stop();
      const { port, pathname } = new URL(url);
      expect(node.stderr).to.contain(`  Data      PostgreSQL at 127.0.0.1:${port}, database ${pathname.slice(1)}\n`);
      // Several nodes would each create a key and print it.
      expect(node.firstKey).to.equal(undefined);
      expect(node.stderr).to.match(/^Warning: quotas_local: .* set REDIS_URL\.$/m);
    }
  });

  it('waits for a database that starts at the same time', async () => {
    const url = await postgres.createDatabase();
    await postgres.stop();
    const node = ServerProcess.start({ DATA_DIR: directory, DATABASE_URL: url });
    await postgres.start();
    await (await node).stop();
  });
});
