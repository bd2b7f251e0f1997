import { once } from 'node:events';
import { createServer } from 'node:net';
import { StartError } from '@contract-server/core/lib/errors.js';
import { closeLater } from '@contract-server/test-support/closing.js';
import { errorOf } from '@contract-server/test-support/error-of.js';
import {
  describePostgres,
  openTestPostgres,
  sharedPostgres,
  testOptions,
} from '@contract-server/test-support/postgres/postgres.js';
import { type PostgresServer, password } from '@contract-server/test-support/postgres/postgres-server.js';
import { expect } from 'chai';
import { PostgresKeyStore } from '#src/api-keys/postgres-key-store.js';
import type { Migration } from '#src/database/migrations.js';
import { openPostgresDatabase } from '#src/database/postgres/open-database.js';
import { describeMigrations } from '../../database/migrations.contract.js';

/** The key of the lock that a migration holds: the letters TOYS. */
const lockMigrations = 'SELECT pg_advisory_lock(1414486355)';
/** How long a start waits for temporary errors, in milliseconds; 8 s by default. */
const startTimeoutMs = 1000;
/** Maximum duration of a failing start: two attempts, and the delays of a busy machine. */
const promisedMs = 6000;

/** Opens and closes a database, and returns the migrations that were applied. */
async function open(url: string, added: readonly Migration[] = []): Promise<number[]> {
  const db = await openPostgresDatabase({
    ...testOptions,
    url,
    migrations: [...testOptions.migrations, ...added],
    startTimeoutMs,
  });
  await db.close();
  return db.migrations.filter(({ wasApplied }) => wasApplied).map(({ version }) => version);
}

/** Returns the error message for a database that cannot be opened: in time, one sentence, without the password. */
async function errorMessageOf(url: string, added?: readonly Migration[]): Promise<string> {
  const startedAt = performance.now();
  const error = await errorOf(open(url, added));
  expect(performance.now() - startedAt).to.be.below(promisedMs);
  expect(error).to.be.instanceOf(StartError);
  const { message } = error as StartError;
  for (const secret of [password, encodeURIComponent(password), 'secret']) expect(message).to.not.contain(secret);
  return message;
}

describePostgres('openPostgresDatabase', () => {
  let server: PostgresServer;
  let url: string;
  before(async () => (server = await sharedPostgres()));
  beforeEach(async () => (url = await server.createDatabase()));

  describeMigrations(testOptions.migrations, () =>
    Promise.resolve({ open: (added) => open(url, added), query: (sql) => server.query(sql, url) }),
  );

  it('waits for another process that migrates, but not if there is nothing to migrate', async () => {
    const other = await server.connect(url);
    closeLater(() => other.end());
    await other.query(lockMigrations);
    expect(await errorMessageOf(url)).to.match(
      /^Another process has been migrating PostgreSQL at .* for 1 s\. Start again when it is done\.$/,
    );
    await other.query('SELECT pg_advisory_unlock_all()');
    await open(url);
    await other.query(lockMigrations);
    expect(await open(url)).to.deep.equal([]);
  });

  it('applies a migration completely at the next start after its connection was lost', async () => {
    const other = await server.connect(url);
    closeLater(() => other.end());
    await other.query('SELECT pg_advisory_lock(1)');
    const versions = [...testOptions.migrations.map(({ version }) => version), 1];
    const sql = 'CREATE TABLE added (id int); SELECT pg_advisory_xact_lock(1)';
    const added = [{ part: 'toys', version: 1, name: 'added', sql, compatibleFrom: 1 }];
    const failing = errorMessageOf(url, added);
    const terminateWaiting = `SELECT pg_terminate_backend(pid) FROM pg_locks
      WHERE NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
    while ((await server.query(terminateWaiting, url)).length === 0);
    expect(await failing).to.match(/ cannot be used: terminating connection due to administrator command\. /);
    await other.query('SELECT pg_advisory_unlock(1)');
    expect(await open(url, added)).to.deep.equal(versions);
    expect(await server.query('SELECT id FROM added', url)).to.deep.equal([]);
  });

  it('changes no role, and lets open connections work during a migration that expands the schema', async () => {
    const db = await openTestPostgres(url);
    const keys = new PostgresKeyStore(db);
    const callAll = () => Promise.all([keys.list(), keys.find('key_1'), keys.findByHash(Buffer.alloc(32))]);
    await callAll();
    const tables = ['quotas', 'api_keys'];
    const expand = tables.map((table) => `ALTER TABLE ${table} ADD COLUMN note text; CREATE INDEX ON ${table} (note);`);
    await server.query(expand.join('\n'), url);
    await callAll();
    expect(await server.query('SELECT FROM pg_db_role_setting WHERE setrole <> 0', url)).to.deep.equal([]);
  });

  it('fails in time if the server does not respond or rejects the connection, and states why', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    closeLater(() => silent.close());
    await once(silent, 'listening');
    const { port } = silent.address() as { port: number };
    for (const [bad, reason] of [
      [url.replace(/:\d+\//, `:${String(port)}/`), '.*timeout.*'],
      [url.replace(encodeURIComponent(password), 'secret'), 'password authentication failed for user "petstore"'],
      [url.replace(/test_\d+/, 'unheard_of'), 'database "unheard_of" does not exist'],
      [`${url}?sslmode=verify-full`, 'The server does not support SSL connections'],
    ] as const) {
      expect(await errorMessageOf(bad)).to.match(new RegExp(`cannot be used: ${reason}\\. See DATABASE_URL\\.$`));
    }
  });

  it('rejects a database that is not encoded in UTF-8, or that does not sync commits to disk', async () => {
    const latin = await server.createDatabase(`ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'`);
    expect(await errorMessageOf(latin)).to.match(/ is encoded in LATIN1\. Create it with ENCODING 'UTF8'\.$/);
    const name = new URL(url).pathname.slice(1);
    await server.query(`ALTER DATABASE ${name} SET synchronous_commit = off`);
    expect(await errorMessageOf(url)).to.match(/ has synchronous_commit = off, .* Set it to on\.$/);
    await server.query(`ALTER DATABASE ${name} SET synchronous_commit = remote_apply`);
    expect(await open(url)).to.not.deep.equal([]);
  });
});
