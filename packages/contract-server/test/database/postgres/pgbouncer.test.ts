import { setTimeout as delay } from 'node:timers/promises';
import { failure } from '@contract-server/test-support/cli/command-line.js';
import { createUnlimitedKey, toys } from '@contract-server/test-support/cli/toys.js';
import { ToyClient } from '@contract-server/test-support/clients/toy-client.js';
import { freePort } from '@contract-server/test-support/machine/free-port.js';
import { describePgBouncer, PgBouncer } from '@contract-server/test-support/postgres/pgbouncer.js';
import { sharedPostgres } from '@contract-server/test-support/postgres/postgres.js';
import { ToysProcess } from '@contract-server/test-support/servers/toys-process.js';
import { temporaryDirectory } from '@contract-server/test-support/temporary-directory.js';
import { expectStoreUnavailable } from '@contract-server/test-support/unavailable.js';
import { expect } from 'chai';

const clients = 16;

describePgBouncer('a service behind pgbouncer', () => {
  let databaseUrl: string;
  beforeEach(async () => (databaseUrl = await (await sharedPostgres()).createDatabase()));

  async function start(settings: Readonly<Record<string, string | number>>) {
    const bouncer = await PgBouncer.start(databaseUrl, settings);
    const node = await ToysProcess.start({ DATA_DIR: temporaryDirectory(), DATABASE_URL: bouncer.url });
    const client = new ToyClient(node.baseUrl, await createUnlimitedKey(temporaryDirectory(), databaseUrl));
    return { bouncer, node, client };
  }

  /** The statuses of reads and creations of several clients at once. Each 503 is that of a store. */
  async function statusesOf(client: ToyClient, rounds: number): Promise<Set<number>> {
    const statuses = new Set<number>();
    const sendAll = async () => {
      for (let round = 0; round < rounds; round += 1)
        for (const response of [await client.create(), await client.get('/toys/1'), await client.list()]) {
          if (response.status === 503) expectStoreUnavailable(response);
          statuses.add(response.status);
        }
    };
    await Promise.all(Array.from({ length: clients }, sendAll));
    return statuses;
  }

  it('serves all requests of concurrent clients in session mode', async () => {
    const { client, node } = await start({ pool_mode: 'session' });
    expect([...(await statusesOf(client, 10))]).to.have.members([200, 201]);
    expect(node.outages).to.deep.equal([]);
  });

  for (const settings of [
    { pool_mode: 'transaction' },
    { pool_mode: 'transaction', server_round_robin: 1, min_pool_size: 3 },
    { pool_mode: 'transaction', default_pool_size: 1 },
    { pool_mode: 'statement' },
  ])
    it(`does not start with ${JSON.stringify(settings)}, and names session mode`, async () => {
      const { url } = await PgBouncer.start(databaseUrl, settings);
      const { host, pathname } = new URL(url);
      const reason =
        `PostgreSQL at ${host}, database ${pathname.slice(1)} is behind a pooler in transaction mode, which loses ` +
        'prepared statements and timeouts; set the pooler to session mode, or connect directly; see DATABASE_URL';
      for (const command of ['serve --check', 'migrate', 'serve --no-first-key'])
        expect(await toys(command.split(' '), { env: { DATABASE_URL: url } })).to.deep.equal(failure(reason));
    });

  it('does not start if the pooler has a single session for it', async () => {
    const { url } = await PgBouncer.start(databaseUrl, { pool_mode: 'session', default_pool_size: 1 });
    const { exitCode, stderr } = await toys(['serve', '--check'], { env: { DATABASE_URL: url } });
    expect(exitCode).to.equal(1);
    expect(stderr).to.match(/^error: the pooler of .+ has no second connection .+; raise its pool size; /);
  });

  const outages: readonly (readonly [title: string, begin: (bouncer: PgBouncer) => unknown, reason: RegExp])[] = [
    [
      'is set to transaction mode',
      (bouncer) => bouncer.restart({ pool_mode: 'transaction' }),
      /prepared statement "\w+" (already exists|does not exist); a pooler must be in session mode/,
    ],
    ['is stopped', (bouncer) => bouncer.stop(), /ECONNREFUSED|terminat/],
    [
      'has no free connection',
      (bouncer) => bouncer.restart({ pool_mode: 'session', max_client_conn: 1 }),
      /no more connections allowed/,
    ],
    [
      'cannot reach PostgreSQL',
      async (bouncer) => bouncer.restart({ pool_mode: 'session' }, await freePort()),
      /server_login_retry|ECONN|timeout/,
    ],
  ];
  for (const [title, begin, reason] of outages)
    it(`returns 503, never 500, while pgbouncer ${title}, logs why, and recovers`, async function () {
      this.timeout(60_000);
      const { bouncer, node, client } = await start({ pool_mode: 'session' });
      expect((await client.create()).status).to.equal(201);
      await begin(bouncer);
      const statuses = await statusesOf(client, 2);
      expect([...statuses])
        .to.include(503)
        .and.not.include(500);
      expect(node.outages.join('\n')).to.match(reason);
      await bouncer.restart({ pool_mode: 'session' });
      while ((await client.create()).status !== 201) await delay(20);
    });
});
