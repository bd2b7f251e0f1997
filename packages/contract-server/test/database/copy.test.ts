import { CommandError } from '@contract-server/core/lib/errors.js';
import { errorOf } from '@contract-server/test-support/error-of.js';
import {
  describePostgres,
  openTestPostgres,
  sharedPostgres,
  testOptions,
} from '@contract-server/test-support/postgres/postgres.js';
import type { PostgresServer } from '@contract-server/test-support/postgres/postgres-server.js';
import { openTestDatabase } from '@contract-server/test-support/sqlite/database.js';
import { expect } from 'chai';
import { type CopyOptions, copyDatabase } from '#src/database/copy/copy-database.js';
import type { Migration } from '#src/database/migrations.js';
import type { PostgresDatabase } from '#src/database/postgres/database.js';
import type { SqliteDatabase } from '#src/database/sqlite/database.js';
import { postgresTimeouts } from '#src/service/postgres-engine.js';

const embedded = `
  CREATE TABLE Books (
    id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT, isbn INTEGER, sequelOf INTEGER REFERENCES Books (id),
    cover BLOB, price REAL, isSold INTEGER, details TEXT, printedAt TEXT, "odd ""name" TEXT,
    length INTEGER GENERATED ALWAYS AS (length(title))
  );
  CREATE TABLE loans (book INTEGER REFERENCES Books (id), reader TEXT, PRIMARY KEY (book, reader)) WITHOUT ROWID;
  CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER) STRICT;
  CREATE TRIGGER count_loans AFTER INSERT ON loans BEGIN UPDATE counters SET value = value + 1; END;
  CREATE TABLE shelves (id INTEGER PRIMARY KEY, label TEXT);
  CREATE VIRTUAL TABLE titles USING fts5 (title);
  CREATE VIEW sold AS SELECT * FROM Books WHERE isSold;
  INSERT INTO counters VALUES ('loans', 0);`;
const shared = `
  CREATE TABLE Books (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, title varchar(40), isbn bigint, sequelOf bigint REFERENCES Books,
    cover bytea, price double precision, isSold boolean, details jsonb, printedAt timestamptz, "odd ""name" text,
    length integer GENERATED ALWAYS AS (length(title)) STORED, addedBy text DEFAULT 'copy', number serial
  );
  CREATE TABLE loans (book bigint REFERENCES Books, reader text, PRIMARY KEY (book, reader));
  CREATE TABLE counters (name text PRIMARY KEY, value bigint);
  CREATE FUNCTION count_loan() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN UPDATE counters SET value = value + 1; RETURN NEW; END $$;
  CREATE TRIGGER count_loans AFTER INSERT ON loans FOR EACH ROW EXECUTE FUNCTION count_loan();
  CREATE SEQUENCE shelf_ids;
  CREATE TABLE shelves (id bigint PRIMARY KEY DEFAULT nextval('shelf_ids'), label text)`;

const migrationOf = (sql: string): readonly Migration[] => [
  { part: 'application', version: 1, name: 'books', sql, compatibleFrom: 1 },
];

const title = '  O’Neil\'s "{\\N}", NULL\n🐕\u007f';
const long = 'x'.repeat(3_000_000);

const broken =
  'The copy failed: terminating connection due to administrator command. It copies everything or nothing. Run it again.';

describePostgres('copyDatabase', () => {
  let server: PostgresServer;
  let url: string;
  let source: SqliteDatabase;
  let target: PostgresDatabase;
  before(async () => (server = await sharedPostgres()));
  beforeEach(async () => {
    url = await server.createDatabase();
    source = await openTestDatabase(undefined, { migrations: migrationOf(embedded) });
    target = await openTarget();
  });

  function openTarget(): Promise<PostgresDatabase> {
    const options = { ...testOptions, migrations: migrationOf(shared) };
    return openTestPostgres(url, 1, postgresTimeouts.command, options);
  }

  const copy = (changes: Partial<CopyOptions> = {}) =>
    copyDatabase(source, target, { localTables: ['titles'], progress: () => undefined, ...changes });
  const insertBook = (values: string) => source.execute(`INSERT INTO Books (title, isbn) VALUES ${values}`);
  const countBooks = async () =>
    (await server.query<{ count: number }>('SELECT count(*)::int FROM Books', url))[0]?.count;

  async function expectFailure(message: string | RegExp, changes?: Partial<CopyOptions>): Promise<void> {
    const error = await errorOf(copy(changes));
    expect(error).to.be.instanceOf(CommandError);
    const text = (error as CommandError).message.replaceAll(target.location, 'the target');
    if (typeof message === 'string') expect(text).to.equal(message);
    else expect(text).to.match(message);
    expect(await countBooks()).to.equal(0);
  }

  it('copies every value exactly, also to another type, and rows that refer to later ones', async () => {
    const insert = `INSERT INTO Books (id, title, isbn, sequelOf, cover, price, isSold, details, printedAt, "odd ""name")
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`;
    const cover = Buffer.from([0, 255, 92, 120]);
    await source.transaction((transaction) => {
      transaction.execute('PRAGMA defer_foreign_keys = ON');
      const details = '{"a": [1, null]}';
      transaction.execute(insert, [1, title, 2n ** 63n - 1n, 7, cover, 0.1, 1, details, '2026-01-02 03:04:05', '']);
      transaction.execute(insert, [7, null, -(2n ** 63n), 1, Buffer.alloc(0), 1e300, 0, '"é"', null, 'NULL']);
    });
    await source.execute(`INSERT INTO loans VALUES (1, 'Zoë')`);
    expect(await copy()).to.deep.equal([
      { table: 'Books', rows: 2 },
      { table: 'counters', rows: 1 },
      { table: 'loans', rows: 1 },
      { table: 'shelves', rows: 0 },
    ]);
    const rows = await target.query('SELECT * FROM Books ORDER BY id');
    const date = new Date('2026-01-02T03:04:05Z');
    expect(rows).to.deep.equal([
      {
        ...{
          id: 1,
          title,
          isbn: 2n ** 63n - 1n,
          sequelof: 7,
          cover,
          price: 0.1,
          issold: true,
          details: { a: [1, null] },
        },
        ...{ printedat: date, 'odd "name': '', length: title.length - 1, addedby: 'copy', number: 1 },
      },
      {
        ...{ id: 7, title: null, isbn: -(2n ** 63n), sequelof: 1, cover: Buffer.alloc(0), price: 1e300, issold: false },
        ...{ details: 'é', printedat: null, 'odd "name': 'NULL', length: null, addedby: 'copy', number: 2 },
      },
    ]);
    expect(await target.query('SELECT * FROM loans')).to.deep.equal([{ book: 1, reader: 'Zoë' }]);
    expect(await target.query('SELECT * FROM counters')).to.deep.equal([{ name: 'loans', value: 1 }]);
  });

  it('continues after the greatest id, also of a deleted row, and keeps the rules of the tables', async () => {
    await insertBook(`('a', 1), ('b', 2), ('c', 3)`);
    await source.execute('DELETE FROM Books WHERE id > 1');
    await source.execute('INSERT INTO shelves VALUES (-5, NULL), (41, NULL)');
    await copy();
    const insert = (into: string) => target.query(`INSERT INTO ${into} RETURNING id`);
    expect(await insert(`Books (title) VALUES ('d')`)).to.deep.equal([{ id: 4 }]);
    expect(await insert(`shelves (label) VALUES ('e')`)).to.deep.equal([{ id: 42 }]);
    await target.execute(`INSERT INTO loans VALUES (4, 'a')`);
    expect(await target.query('SELECT value FROM counters')).to.deep.equal([{ value: 1 }]);
    expect(await errorOf(target.execute(`INSERT INTO loans VALUES (5, 'a')`))).to.match(/foreign key/);
    const rules = `SELECT condeferrable FROM pg_constraint WHERE contype = 'f'`;
    expect(await server.query(rules, url)).to.deep.equal([{ condeferrable: false }, { condeferrable: false }]);
  });

  it('copies tables that exceed a batch, in rows or in bytes, and reports each batch', async () => {
    await source.execute(`INSERT INTO shelves WITH RECURSIVE numbers (n) AS
      (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 10001) SELECT n, 'shelf ' || n FROM numbers`);
    const batches: unknown[] = [];
    const insert = 'INSERT INTO Books (details, "odd ""name") VALUES (1, $1)';
    for (const id of [1, 2, 3]) await source.execute(insert, [long + String(id)]);
    await copy({ progress: (...batch) => batches.push(batch) });
    expect(batches).to.deep.equal([
      ['Books', 2, 3],
      ['Books', 3, 3],
      ['counters', 1, 1],
      ['shelves', 5000, 10_001],
      ['shelves', 10_000, 10_001],
      ['shelves', 10_001, 10_001],
    ]);
    const [sums] = await target.query('SELECT count(*), sum(id)::bigint, max(label) AS last FROM shelves');
    expect(sums).to.deep.equal({ count: 10_001, sum: 50_015_001, last: 'shelf 9999' });
  });

  it('refuses a target with rows, and does not change it', async () => {
    await insertBook(`('a', 1)`);
    await target.execute(`INSERT INTO counters VALUES ('b', 1)`);
    await expectFailure('The table counters of the target has rows. Delete them, or copy to an empty database.');
    await target.execute('DELETE FROM counters');
    await copy();
    expect(await errorOf(copy())).to.match(
      /The table books of .+ has rows\. Delete them, or copy to an empty database\.$/,
    );
    expect(await countBooks()).to.equal(1);
  });

  it('refuses tables and columns that only SQLite has, unless they belong to one node', async () => {
    const advice = 'does not exist in the target. Add it in a migration; a table can be in `localTables`.';
    await insertBook(`('a', 1)`);
    await expectFailure(`The table titles of SQLite ${advice}`, { localTables: [] });
    await source.execute('ALTER TABLE loans ADD COLUMN until TEXT');
    await expectFailure(`The column loans.until of SQLite ${advice}`);
    const tables = await copy({ localTables: ['titles', 'loans'] });
    expect(tables.map(({ table }) => table)).to.deep.equal(['Books', 'counters', 'shelves']);
  });

  it('copies nothing if a value does not fit its column, and names the table', async () => {
    await insertBook(`('a', 1)`);
    for (const [value, message] of [
      ["'a' || char(0)", /^The copy failed in the table Books: invalid byte sequence .+ Nothing was copied\.$/],
      ["'" + 'x'.repeat(41) + "'", /^The copy failed in the table Books: value too long .+ Nothing was copied\.$/],
      ["x'00'", /^Books\.title has a BLOB, but is character varying in PostgreSQL\.$/],
    ] as const) {
      await source.execute(`UPDATE Books SET title = ${value}`);
      await expectFailure(message);
    }
    await source.execute(`UPDATE Books SET title = 'a', cover = 'text'`);
    await expectFailure('Books.cover has a value that is not a BLOB, but is bytea in PostgreSQL.');
    source.connection.pragma('foreign_keys = OFF');
    await source.execute('UPDATE Books SET cover = NULL, sequelOf = 9');
    await expectFailure(/^The copy failed: .+ violates foreign key constraint .+ Nothing was copied\.$/);
  });

  it('copies nothing if the rows that arrive differ, in number or in value', async () => {
    await insertBook(`('a', ${String(2n ** 63n - 1n)}), ('b', ${String(2n ** 63n - 1n)})`);
    for (const [change, difference] of [
      ['RETURN NULL', '2, 0, 3,'],
      [`NEW.isbn := NEW.isbn - 1; RETURN NEW`, '2, 0, 3,'],
    ] as const) {
      await server.query(
        `CREATE OR REPLACE FUNCTION alter_book() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${change}; END $$;
        CREATE OR REPLACE TRIGGER alter_book BEFORE INSERT ON Books FOR EACH ROW EXECUTE FUNCTION alter_book();
        ALTER TABLE Books ENABLE ALWAYS TRIGGER alter_book`,
        url,
      );
      const error = (await errorOf(copy())) as CommandError;
      expect(error.message).to.match(/^The copy of the table Books differs: /);
      expect(error.message).to.include(difference);
      expect(error.message).to.match(/ Nothing was copied\.$/);
      expect(await countBooks()).to.equal(0);
    }
  });

  it('leaves nothing when the connection breaks, and succeeds when it is repeated', async () => {
    await insertBook(`('a', 1), ('b', 2)`);
    const holder = await server.connect(url);
    await holder.query('BEGIN; SELECT FROM shelves');
    const failing = errorOf(copy());
    const waiting = `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE NOT granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
    while ((await server.query(waiting, url)).length === 0);
    expect(await failing).to.have.property('message', broken);
    await holder.end();
    expect(await countBooks()).to.equal(0);
    await copy();
    expect(await countBooks()).to.equal(2);
  });

  it('excludes writers of SQLite until it ends', async () => {
    await insertBook(`('a', 1)`);
    const other = await openTestDatabase(source.connection.name.replace(/[^/]+$/, ''), { migrations: [] });
    const progress = () => expect(() => other.connection.exec('DELETE FROM Books')).to.throw('database is locked');
    await copy({ progress });
    expect(await countBooks()).to.equal(1);
  });
});
