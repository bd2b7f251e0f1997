import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { fetchListedPets } from '../support/clients/listed-pets.js';
import { describePostgres, sharedPostgres } from '../support/postgres/postgres.js';
import { type PostgresServer, password } from '../support/postgres/postgres-server.js';
import { createUnlimitedKey, ServerProcess } from '../support/servers/server-process.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { promisedMs } from '../support/unavailable.js';

const clientCount = 16;

/** Clients of every kind that send requests until they are stopped, and the responses they received. */
class Load {
  readonly statuses = new Set<number>();
  /** By the name of the pet. */
  readonly created = new Map<string, number>();
  slowestMs = 0;
  private isStopped = false;
  private readonly running: Promise<unknown>;
  private completed = 0;
  private rejected = 0;

  constructor(
    private readonly baseUrl: string,
    private readonly token: string,
  ) {
    this.running = Promise.all(Array.from({ length: clientCount }, (_, index) => this.run(index)));
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await this.running;
  }

  /** Resolves when the clients have received `count` more responses each, on average. */
  async responses(count: number): Promise<void> {
    await this.until(() => this.completed, count * clientCount);
  }

  async apiErrors(count: number): Promise<void> {
    await this.until(() => this.rejected, count * clientCount);
  }

  private async until(read: () => number, more: number): Promise<void> {
    const goal = read() + more;
    while (read() < goal) await delay(5);
  }

  private async run(client: number): Promise<void> {
    for (let index = 0; !this.isStopped; index += 1) {
      const name = `client ${String(client)} pet ${String(index)}`;
      if (client % 2 === 0) await this.send('/pets?status=sold&limit=3');
      else if (client % 4 === 1) await this.create(name, {});
      else await this.create(name, { 'Idempotency-Key': `${String(client)}-${String(index)}` });
    }
  }

  private async create(name: string, headers: Readonly<Record<string, string>>): Promise<void> {
    const body = JSON.stringify({ name, categoryId: 7, status: 'sold' });
    const response = await this.send('/pets', { method: 'POST', body, headers });
    if (response.status === 201) this.created.set(name, (JSON.parse(response.text) as { id: number }).id);
  }

  private async send(
    target: string,
    init: { method?: string; body?: string; headers?: Readonly<Record<string, string>> } = {},
  ) {
    const startedAt = performance.now();
    const headers = { Authorization: `Bearer ${this.token}`, 'Content-Type': 'application/json', ...init.headers };
    const response = await fetch(`${this.baseUrl}${target}`, { ...init, headers });
    const text = await response.text();
    this.slowestMs = Math.max(this.slowestMs, performance.now() - startedAt);
    this.statuses.add(response.status);
    this.completed += 1;
    if (response.status === 503) {
      this.rejected += 1;
      expect(JSON.parse(text)).to.deep.equal({
        code: 'store_unavailable',
        message: 'The storage is unavailable. Retry after the time in Retry-After.',
        status: 503,
      });
      expect(response.headers.get('Retry-After')).to.equal('1');
    }
    return { status: response.status, text };
  }
}

describePostgres('A node during an outage of PostgreSQL', () => {
  let postgres: PostgresServer;
  let url: string;
  let node: ServerProcess;
  let token: string;
  before(async () => {
    postgres = await sharedPostgres();
    url = await postgres.createDatabase();
    node = await ServerProcess.start({ DATA_DIR: temporaryDirectory(), DATABASE_URL: url });
    token = await createUnlimitedKey(temporaryDirectory(), url);
  });
  after(() => node.stop());

  const listPets = () => fetch(`${node.baseUrl}/pets`, { headers: { authorization: `Bearer ${token}` } });

  const readiness = async () => (await fetch(new URL('/readyz', node.baseUrl))).status;

  const terminateConnections = () =>
    postgres.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'petstore'`);

  const outages: readonly (readonly [name: string, begin: () => unknown, end: () => unknown])[] = [
    ['is stopped and started', () => postgres.stop(), () => postgres.start()],
    ['crashes', () => postgres.crash(), () => postgres.start()],
    ['is frozen', () => postgres.pause(), () => postgres.resume()],
    [
      'loses its connections time and again',
      async () => {
        for (let round = 0; round < 10; round += 1) {
          await terminateConnections();
          await delay(20);
        }
        // Two statements: otherwise the node could connect again before the first is committed.
        await postgres.query('ALTER ROLE petstore NOLOGIN');
        await terminateConnections();
      },
      () => postgres.query('ALTER ROLE petstore LOGIN'),
    ],
  ];

  for (const [name, begin, end] of outages) {
    it(`responds in time, never with 401 or 500, is not ready, and recovers in time, when it ${name}`, async function () {
      this.timeout(60_000);
      const load = new Load(node.baseUrl, token);
      const reportedBefore = node.outages.length;
      await load.responses(3);
      await begin();
      try {
        await load.apiErrors(2);
        expect(await readiness()).to.equal(503);
      } finally {
        await end();
      }
      const endedAt = performance.now();
      while ((await listPets()).status !== 200) await delay(10);
      expect(performance.now() - endedAt).to.be.below(promisedMs);
      expect(await readiness()).to.equal(200);
      await load.responses(3);
      await load.stop();
      expect([...load.statuses]).to.have.members([200, 201, 503]);
      expect(load.slowestMs).to.be.below(promisedMs);

      const listed = await fetchListedPets(node.baseUrl, token);
      const stored = new Map(listed.map((pet) => [pet.name, pet.id]));
      expect(listed.map(({ id }) => id)).to.deep.equal(
        [...new Set(listed.map(({ id }) => id))].sort((one, other) => one - other),
      );
      for (const [pet, id] of load.created) expect(stored.get(pet), pet).to.equal(id);
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
  }

  it('exits within 10 s of SIGTERM while PostgreSQL is frozen, and reports the failed steps', async () => {
    // Recording this use of the key is one of the steps.
    expect((await listPets()).status).to.equal(200);
    postgres.pause();
    try {
      const startedAt = performance.now();
      expect(await node.stop()).to.deep.equal({ code: 1, signal: null });
      expect(performance.now() - startedAt).to.be.below(10_000);
      expect(node.stdout).to.contain('The service did not shut down cleanly.');
    } finally {
      postgres.resume();
    }
  });
});
