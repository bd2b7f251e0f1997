import { fork } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { openSqliteDatabase } from '#src/database/sqlite/connection.js';
import { StartError } from '#src/lib/errors.js';
import { SqlitePetStore } from '#src/pets/sqlite/pet-store.js';
import { creationRequest } from '../../support/pets.js';
import { migrations, openTestDatabase, openTestStore } from '../../support/sqlite/database.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const unnamed = { name: 'of a test', compatibleFrom: 1 };
const opener = fileURLToPath(new URL('../../support/sqlite/open-database-process.js', import.meta.url));

/** The error message for a directory. */
function errorMessageOf(directory: string): string {
  try {
    openTestDatabase(directory).close();
  } catch (error) {
    if (error instanceof StartError) return error.message;
    throw error;
  }
  return expect.fail('The database was opened.');
}

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

/** Writes the database file of another program. Returns its bytes. */
function writeDatabase(file: string, sql: string): Buffer {
  const db = new Database(file);
  db.exec(sql);
  db.close();
  return readFileSync(file);
}

describe('openSqliteDatabase', () => {
  let directory: string;
  let file: string;
  beforeEach(() => {
    directory = temporaryDirectory();
    file = join(directory, 'petstore.db');
  });

  it('makes every commit durable, and enforces foreign keys', () => {
    const db = openTestDatabase(directory);
    const pragmas = ['journal_mode', 'synchronous', 'foreign_keys', 'busy_timeout', 'user_version'];
    expect(pragmas.map((name) => db.pragma(name, { simple: true }))).to.deep.equal(['wal', 2, 1, 0, migrations.length]);
    db.close();
  });

  it('lets a command wait for a lock as long as configured', () => {
    const db = openSqliteDatabase({
      directory,
      fileName: 'petstore.db',
      migrations,
      lockTimeoutMs: 1234,
    });
    expect(db.pragma('busy_timeout', { simple: true })).to.equal(1234);
    db.close();
  });

  it('creates directories and files that only the user can access', () => {
    const nested = join(directory, 'a', 'b');
    const db = openTestDatabase(nested);
    db.exec(`INSERT INTO pets (name, category_id, status) VALUES ('Rex', 7, 'sold')`);
    expect(readdirSync(nested).sort()).to.deep.equal(['petstore.db', 'petstore.db-shm', 'petstore.db-wal']);
    for (const name of readdirSync(nested)) expect(modeOf(join(nested, name)), name).to.equal('600');
    expect([join(directory, 'a'), nested].map(modeOf)).to.deep.equal(['700', '700']);
    db.close();
  });

  it('does not change the permissions of an existing directory or file', () => {
    openTestDatabase(directory).close();
    chmodSync(directory, 0o750);
    chmodSync(file, 0o640);
    openTestDatabase(directory).close();
    expect([directory, file].map(modeOf)).to.deep.equal(['750', '640']);
  });

  it('reads what was stored before', () => {
    const db = openTestDatabase(directory);
    db.exec(`INSERT INTO pets (name, category_id, status) VALUES ('Rex', 7, 'sold')`);
    db.close();
    const again = openTestDatabase(directory);
    expect(again.prepare('SELECT name FROM pets').pluck().get()).to.equal('Rex');
    again.close();
  });

  it('migrates a database of an older release, and keeps its data', () => {
    const older = openTestDatabase(directory);
    older.exec(`INSERT INTO pets (name, category_id, status) VALUES ('Rex', 7, 'sold')`);
    older.close();
    const added = { version: migrations.length + 1, ...unnamed, sql: 'ALTER TABLE pets ADD COLUMN note TEXT' };
    const db = openSqliteDatabase({
      directory,
      fileName: 'petstore.db',
      migrations: [...migrations, added],
      lockTimeoutMs: 0,
    });
    expect(db.prepare('SELECT name, note FROM pets').get()).to.deep.equal({ name: 'Rex', note: null });
    db.close();
    expect(errorMessageOf(directory)).to.contain(`schema version ${String(added.version)}`);
  });

  it('migrates a database of the first release', async () => {
    const first = {
      directory,
      fileName: 'petstore.db',
      migrations: migrations.slice(0, 1),
      lockTimeoutMs: 0,
    } as const;
    const older = openSqliteDatabase(first);
    older.exec(`INSERT INTO pets (name, category_id, status) VALUES ('Rex', 7, 'sold')`);
    older.close();
    const db = openTestStore(directory);
    const pets = new SqlitePetStore(db);
    expect(await pets.find(1)).to.equal('{"id":1,"name":"Rex","categoryId":7,"status":"sold"}');
    expect(await pets.insertOnce({ name: 'Mia', categoryId: 7, status: 'sold' }, creationRequest)).to.deep.equal({
      kind: 'created',
      id: 2,
    });
    db.close();
  });

  it('applies all migrations or none of them', () => {
    openTestDatabase(directory).close();
    const good = { version: migrations.length + 1, ...unnamed, sql: 'CREATE TABLE notes (id INTEGER PRIMARY KEY)' };
    const bad = { version: migrations.length + 2, ...unnamed, sql: 'CREATE TABLE pets (id INTEGER)' };
    const open = () =>
      openSqliteDatabase({
        directory,
        fileName: 'petstore.db',
        migrations: [...migrations, good, bad],
        lockTimeoutMs: 0,
      });
    expect(open).to.throw(StartError, 'table pets already exists');
    const db = openTestDatabase(directory);
    expect(db.prepare(`SELECT count(*) FROM sqlite_schema WHERE name = 'notes'`).pluck().get()).to.equal(0);
    db.close();
  });

  describe('rejects', () => {
    it('a database of a newer release, and does not change it', () => {
      const db = openTestDatabase(directory);
      db.pragma('user_version = 99');
      db.close();
      const bytes = readFileSync(file);
      expect(errorMessageOf(directory)).to.equal(
        `${file} has schema version 99; this release supports ${String(migrations.length)}. Nothing was changed. ` +
          'Start a newer release.',
      );
      expect(readFileSync(file).equals(bytes)).to.equal(true);
      expect(readdirSync(directory)).to.deep.equal(['petstore.db']);
    });

    it('the database of another program, and does not change it', () => {
      for (const mark of ['', 'PRAGMA application_id = 7;', `PRAGMA user_version = ${String(migrations.length)};`]) {
        const directory = temporaryDirectory();
        const file = join(directory, 'petstore.db');
        const bytes = writeDatabase(file, `${mark} CREATE TABLE pets (id INTEGER PRIMARY KEY)`);
        expect(errorMessageOf(directory)).to.contain(`${file} is the database of another program. Set DATA_DIR`);
        expect(readFileSync(file).equals(bytes)).to.equal(true);
        expect(readdirSync(directory)).to.deep.equal(['petstore.db']);
      }
    });

    it('a file that is not a database, and does not change it', () => {
      const content = 'This is a diary, and it is longer than the header of a database file.\n'.repeat(100);
      writeFileSync(file, content);
      expect(errorMessageOf(directory)).to.equal(
        `The database ${file} cannot be opened: file is not a database. See DATA_DIR.`,
      );
      expect(readFileSync(file, 'utf8')).to.equal(content);
    });

    it('a path at which no directory can be created', () => {
      writeFileSync(file, '');
      const below = join(file, 'data');
      expect(errorMessageOf(below)).to.match(/^The database .* cannot be opened: ENOTDIR.* See DATA_DIR\.$/);
      // Linux reports ENOENT here although the parent exists; then Node's recursive mkdir never returns.
      expect(errorMessageOf('/proc/none/data')).to.match(/cannot be opened: ENOENT/);
      mkdirSync(join(directory, 'taken', 'petstore.db'), { recursive: true });
      expect(errorMessageOf(join(directory, 'taken'))).to.match(/cannot be opened: EISDIR/);
      expect(existsSync(below)).to.equal(false);
    });
  });

  it('migrates once if several processes start at the same time', async () => {
    for (let round = 0; round < 5; round += 1) {
      const openers = Array.from({ length: 4 }, () => fork(opener, [join(directory, String(round))]));
      await Promise.all(openers.map((child) => once(child, 'message')));
      const responses = openers.map((child) => once(child, 'message'));
      for (const child of openers) child.send('go');
      const expected = `version ${String(migrations.length)}`;
      expect((await Promise.all(responses)).map(([response]) => response as unknown)).to.deep.equal([
        expected,
        expected,
        expected,
        expected,
      ]);
    }
  });
});
