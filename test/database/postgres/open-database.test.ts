import { expect } from 'chai';
import { Client } from 'pg';
import { PostgresKeyStore } from '#src/api-keys/postgres-key-store.js';
import type { Migration } from '#src/database/migrations.js';
import { openPostgresDatabase } from '#src/database/postgres/open-database.js';
import { StartError } from '#src/lib/errors.js';
import { PostgresPetStore } from '#src/pets/postgres/pet-store.js';
import { creationRequest, rex } from '../../support/pets.js';
import { describePostgres, openTestPostgres, testOptions } from '../../support/postgres/postgres.js';
import { PostgresServer, password } from '../../support/postgres/postgres-server.js';

const { migrations: postgresMigrations } = testOptions;
/** How long a start waits for temporary errors, in milliseconds; 8 s by default. */
const startTimeoutMs = 1000;
/** Maximum duration of a failing start: two attempts, and the delays of a busy machine. */
const promisedMs = 6000;

/** Opens and closes a database, and returns the migrations that were applied. */
async function open(url: string, migrations = postgresMigrations): Promise<number[]> {
  const { db, applied } = await openPostgresDatabase({ ...testOptions, url, migrations, startTimeoutMs });
  await db.close();
  return applied.map(({ version }) => version);
}

/** Returns the error message for a database that cannot be opened: in time, one sentence, without the password. */
async function errorMessageOf(url: string, migrations = postgresMigrations): Promise<string> {
  const startedAt = performance.now();
  try {
    await open(url, migrations);
  } catch (error) {
    expect(performance.now() - startedAt).to.be.below(promisedMs);
    expect(error).to.be.instanceOf(StartError);
    const { message } = error as StartError;
    for (const secret of [password, encodeURIComponent(password), 'secret']) expect(message).to.not.contain(secret);
    return message;
  }
  return expect.fail('It was opened.');
}

function migration(version: number, sql: string, compatibleFrom = 1): Migration {
  return { version, name: `test-${String(version)}`, sql, compatibleFrom };
}

describePostgres('openPostgresDatabase', () => {
  let server: PostgresServer;
  let url: string;
  const next = postgresMigrations.length + 1;
  before(async () => {
    // Its own, which a test pauses.
    server = await PostgresServer.create();
  });
  beforeEach(async () => {
    url = await server.createDatabase();
  });

  describe('migrates', () => {
    it('an empty database once, and records each migration with its name and time', async () => {
      expect(await open(url)).to.deep.equal(postgresMigrations.map(({ version }) => version));
      expect(await open(url)).to.deep.equal([]);
      const rows = await server.query<{ version: number; name: string; age: number }>(
        'SELECT version, name, extract(epoch FROM now() - applied_at)::float8 AS age FROM petstore_migrations ORDER ' +
          'BY version',
        url,
      );
      expect(rows.map(({ version, name }) => ({ version, name }))).to.deep.equal(
        postgresMigrations.map(({ version, name }) => ({ version, name })),
      );
      for (const { age } of rows) expect(age).to.be.within(0, 60);
    });

    it('a database of an older release, and keeps its data', async () => {
      await open(url);
      await server.query(`INSERT INTO pets VALUES (1, 'Rex', 7, 'sold')`, url);
      const later = [...postgresMigrations, migration(next, `ALTER TABLE pets ADD COLUMN note text DEFAULT 'none'`)];
      expect(await open(url, later)).to.deep.equal([next]);
      expect(await server.query('SELECT name, note FROM pets', url)).to.deep.equal([{ name: 'Rex', note: 'none' }]);
    });

    it('up to a migration that fails, which is rolled back', async () => {
      const [good, bad] = [
        migration(next, 'CREATE TABLE good ()'),
        migration(next + 1, 'CREATE TABLE bad (); CREATE TABLE pets ()'),
      ];
      expect(await errorMessageOf(url, [...postgresMigrations, good, bad])).to.match(
        /^PostgreSQL at \S+, database test_\d+ cannot be used: relation "pets" already exists\. See DATABASE_URL\.$/,
      );
      const tables = await server.query<{ good: string | null; bad: string | null }>(
        `SELECT to_regclass('good')::text AS good, to_regclass('bad')::text AS bad`,
        url,
      );
      expect(tables).to.deep.equal([{ good: 'good', bad: null }]);
      expect(await open(url, [...postgresMigrations, good])).to.deep.equal([]);
    });

    it('no further if the connection is lost, and reports why', async () => {
      const fatal = migration(next, 'SELECT pg_terminate_backend(pg_backend_pid())');
      expect(await errorMessageOf(url, [...postgresMigrations, fatal])).to.match(
        /cannot be used: terminating connection due to administrator command\. See DATABASE_URL\.$/,
      );
    });

    it('once if several nodes start at the same time', async () => {
      const slow = [...postgresMigrations, migration(next, 'CREATE TABLE slow (); SELECT pg_sleep(0.3)')];
      const applied = await Promise.all(Array.from({ length: 5 }, () => open(url, slow)));
      expect(applied.flat().sort()).to.deep.equal(slow.map(({ version }) => version));
    });

    it('nothing if another process migrates for too long, and reports it', async () => {
      const other = await server.connect(url);
      await other.query('SELECT pg_advisory_lock($1)', [0x50455453]);
      expect(await errorMessageOf(url)).to.match(
        /^Another process has been migrating PostgreSQL at .* for 1 s\. Start again when it is done\.$/,
      );
      await other.end();
    });

    it('nothing and takes no lock if there is nothing to do', async () => {
      await open(url);
      const other = await server.connect(url);
      await other.query('SELECT pg_advisory_lock($1)', [0x50455453]);
      expect(await open(url)).to.deep.equal([]);
      await other.end();
    });
  });

  describe('next to a newer release', () => {
    it('works after a migration that expands the schema', async () => {
      await open(url, [...postgresMigrations, migration(next, 'ALTER TABLE pets ADD COLUMN note text')]);
      expect(await open(url)).to.deep.equal([]);
    });

    it('works during the migration, on its open connections', async () => {
      const db = await openTestPostgres(url);
      const [pets, keys] = [new PostgresPetStore(db), new PostgresKeyStore(db)];
      const callAll = async () => {
        await Promise.all([
          pets.insert(rex),
          keys.list(),
          keys.findByHash(Buffer.alloc(32)),
          pets.deleteExpiredKeys(9),
        ]);
        await Promise.all([pets.insertOnce(rex, creationRequest), pets.find(1), pets.findReplay(creationRequest)]);
        for (const status of [undefined, 'sold'] as const) await pets.list({ limit: 1, status, afterId: 0 });
      };
      await callAll();
      const tables = ['pets', 'idempotency_keys', 'quotas', 'api_keys'];
      const expand = tables.map(
        (table) => `ALTER TABLE ${table} ADD COLUMN note text; CREATE INDEX ON ${table} (note);`,
      );
      await open(url, [...postgresMigrations, migration(next, expand.join('\n'))]);
      await callAll();
      await pets.close();
      await db.close();
    });

    it('works after a migration that removes what it does not use', async () => {
      await open(url, [...postgresMigrations, migration(next, 'SELECT 1', postgresMigrations.length)]);
      expect(await open(url)).to.deep.equal([]);
    });

    it('does not start after a migration that removes what it needs, and changes nothing', async () => {
      const contracted = migration(next + 1, 'ALTER TABLE pets RENAME COLUMN name TO called', next);
      await open(url, [...postgresMigrations, migration(next, 'SELECT 1'), contracted]);
      expect(await errorMessageOf(url)).to.match(
        new RegExp(
          `^PostgreSQL at \\S+, database test_\\d+ has migration ${String(next + 1)}, which requires a release with ` +
            `migration ${String(next)}\\. This release has ${String(next - 1)} migrations\\. ` +
            'Nothing was changed\\. Start a newer release\\.$',
        ),
      );
    });
  });

  it('times out if the server hangs', async () => {
    server.pause();
    try {
      expect(await errorMessageOf(url)).to.match(
        /^PostgreSQL at \S+, database test_\d+ cannot be used: .*timeout.*\. See DATABASE_URL\.$/,
      );
    } finally {
      server.resume();
    }
  });

  it('fails immediately if the database rejects the connection, and states why', async () => {
    const apiErrors = {
      [url.replace(encodeURIComponent(password), 'secret')]: 'password authentication failed for user "petstore"',
      [url.replace(/test_\d+/, 'unheard_of')]: 'database "unheard_of" does not exist',
      [`${url}?sslrootcert=/nowhere`]: "ENOENT: no such file or directory, open '/nowhere'",
      [`${url}?sslmode=verify-full`]: 'The server does not support SSL connections',
    };
    for (const [bad, reason] of Object.entries(apiErrors)) {
      expect(await errorMessageOf(bad)).to.match(new RegExp(`cannot be used: ${reason}\\. See DATABASE_URL\\.$`));
    }
  });

  it('rejects a database that is not encoded in UTF-8', async () => {
    const latin = await server.createDatabase(`ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'`);
    expect(await errorMessageOf(latin)).to.match(/ is encoded in LATIN1\. Create it with ENCODING 'UTF8'\.$/);
  });

  it('syncs a commit to disk before it resolves, also if the database is configured otherwise', async () => {
    await open(url);
    const name = new URL(url).pathname.slice(1);
    for (const [given, used] of [
      ['off', 'on'],
      ['local', 'local'],
      ['on', 'on'],
      ['remote_apply', 'remote_apply'],
    ]) {
      await server.query(`ALTER DATABASE ${name} SET synchronous_commit = ${String(given)}`);
      const client = await server.connect(url);
      for (const table of ['pets', 'api_keys', 'quotas', 'staged_pets']) {
        await client.query(`BEGIN; DELETE FROM ${table}`);
        expect((await client.query('SHOW synchronous_commit')).rows, table).to.deep.equal([
          { synchronous_commit: used },
        ]);
        await client.query('ROLLBACK');
      }
      await client.end();
    }
  });

  it('configures its role in this database, and no other role or database', async () => {
    await open(url);
    const timeoutOf = async (at: string) => {
      const client = new Client({ connectionString: at });
      await client.connect();
      const { rows } = await client.query<{ statement_timeout: string }>('SHOW statement_timeout');
      await client.end();
      return rows[0]?.statement_timeout;
    };
    expect(await timeoutOf(url)).to.equal('1200ms');
    expect(await timeoutOf(await server.createDatabase())).to.equal('0');
    expect(await server.query('SHOW statement_timeout', url)).to.deep.equal([{ statement_timeout: '0' }]);
  });
});
