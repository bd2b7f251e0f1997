import { setTimeout as delay } from 'node:timers/promises';
import { describePostgres, sharedPostgres } from '@contract-server/test-support/postgres/postgres.js';
import { type PostgresServer, password } from '@contract-server/test-support/postgres/postgres-server.js';
import { temporaryDirectory } from '@contract-server/test-support/temporary-directory.js';
import { promisedMs } from '@contract-server/test-support/unavailable.js';
import { expect } from 'chai';
import { expectStoreUnavailable, fetchListedPets, PetClient } from '../support/clients/pet-client.js';
import { createUnlimitedKey, ServerProcess } from '../support/servers/server-process.js';

const clientCount = 16;

/** Clients that list and create pets, with and without an Idempotency-Key, until they are stopped. */
class Load {
  readonly statuses = new Set<number>();
  slowestMs = 0;
  completed = 0;
  rejected = 0;
  readonly clients: readonly PetClient[];
  private isStopped = false;
  private readonly running: Promise<unknown>;

  constructor(baseUrl: string, token: string) {
    const names = Array.from({ length: clientCount }, (_, index) => `client-${String(index)}`);
    this.clients = names.map((name) => new PetClient(baseUrl, token, name));
    this.running = Promise.all(this.clients.map((client, index) => this.run(client, index)));
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await this.running;
  }

  /** Resolves when the clients have received `count` more responses each, on average: any, or rejections. */
  async more(kind: 'completed' | 'rejected', count: number): Promise<void> {
    const goal = this[kind] + count * clientCount;
    while (this[kind] < goal) await Promise.race([delay(5), this.running]);
  }

  private async run(client: PetClient, index: number): Promise<void> {
    const send = () => {
      if (index % 2 === 0) return client.get('/pets?status=sold&limit=3');
      return index % 4 === 1 ? client.create() : client.createOnce();
    };
    while (!this.isStopped) {
      const response = await send();
      this.slowestMs = Math.max(this.slowestMs, response.ms);
      this.statuses.add(response.status);
      this.completed += 1;
      if (response.status !== 503) continue;
      this.rejected += 1;
      expectStoreUnavailable(response);
    }
  }
}

describePostgres('A node during an outage of PostgreSQL', () => {
  let postgres: PostgresServer;
  let url: string;
  let node: ServerProcess;
  let token: string;
  let client: PetClient;
  before(async () => {
    postgres = await sharedPostgres();
    url = await postgres.createDatabase();
    node = await ServerProcess.start({ DATA_DIR: temporaryDirectory(), DATABASE_URL: url });
    token = await createUnlimitedKey(temporaryDirectory(), url);
    client = new PetClient(node.baseUrl, token);
  });

  const readiness = async () => (await fetch(new URL('/readyz', node.baseUrl))).status;
  const terminateConnections = () =>
    postgres.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'petstore'`);
  const terminateRepeatedly = async () => {
    for (let round = 0; round < 10; round += 1) {
      await terminateConnections();
      await delay(20);
    }
    // Two statements: otherwise the node could connect again before the first is committed.
    await postgres.query('ALTER ROLE petstore NOLOGIN');
    await terminateConnections();
  };

  const outages: readonly (readonly [name: string, begin: () => unknown, end: () => unknown])[] = [
    ['is stopped and started', () => postgres.stop(), () => postgres.start()],
    ['crashes', () => postgres.crash(), () => postgres.start()],
    ['is frozen', () => postgres.pause(), () => postgres.resume()],
    ['loses its connections', terminateRepeatedly, () => postgres.query('ALTER ROLE petstore LOGIN')],
  ];

  for (const [name, begin, end] of outages)
    it(`responds in time, never with 401 or 500, is not ready, and recovers in time, when it ${name}`, async function () {
      this.timeout(60_000);
      const load = new Load(node.baseUrl, token);
      const reportedBefore = node.outages.length;
      await load.more('completed', 3);
      await begin();
      try {
        await load.more('rejected', 2);
        expect(await readiness()).to.equal(503);
      } finally {
        await end();
      }
      const endedAt = performance.now();
      while ((await client.list()).status !== 200) await delay(10);
      expect(performance.now() - endedAt).to.be.below(promisedMs);
      expect(await readiness()).to.equal(200);
      await load.more('completed', 3);
      await load.stop();
      expect([...load.statuses]).to.have.members([200, 201, 503]);
      expect(load.slowestMs).to.be.below(promisedMs);

      const listed = await fetchListedPets(node.baseUrl, token);
      const ids = listed.map(({ id }) => id);
      expect(ids).to.deep.equal([...new Set(ids)].sort((one, other) => one - other));
      expect(listed).to.include.deep.members(load.clients.flatMap(({ acknowledged }) => acknowledged));
      await postgres.query('DELETE FROM pets; DELETE FROM idempotency_keys', url);

      // Each reason is logged once, not for each request, and the end once.
      while (!/ is available again\. /.test(node.outages.at(-1) ?? '')) await delay(20);
      const [first, ...others] = node.outages.slice(reportedBefore);
      expect(first).to.match(
        /^PostgreSQL at 127\.0\.0\.1:\d+, database test_\w+ has been unavailable since \S+: .+\.$/,
      );
      expect(others).to.have.lengthOf.below(10);
      for (const secret of [token, password]) expect(node.stdout + node.stderr).to.not.contain(secret);
    });

  it('exits within 10 s of SIGTERM while PostgreSQL is frozen, and reports the failed steps', async () => {
    // Recording this use of the key is one of the steps.
    expect((await client.list()).status).to.equal(200);
    postgres.pause();
    try {
      const startedAt = performance.now();
      node.kill('SIGTERM');
      expect(await node.ended).to.deep.equal({ code: 1, signal: null });
      expect(performance.now() - startedAt).to.be.below(10_000);
      expect(node.stdout).to.contain('The service did not shut down cleanly.');
    } finally {
      postgres.resume();
    }
  });
});
