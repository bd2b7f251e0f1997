import { fork } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { StartError } from '@contract-server/core/lib/errors.js';
import { errorOf } from '@contract-server/test-support/error-of.js';
import { migrations, openTestDatabase } from '@contract-server/test-support/sqlite/database.js';
import { temporaryDirectory } from '@contract-server/test-support/temporary-directory.js';
import { expect } from 'chai';
import { readMigrations } from '#src/database/migrations.js';
import { BetterSqlite3 } from '#src/database/sqlite/better-sqlite3.js';
import { takeServerLock } from '#src/database/sqlite/server-lock.js';
import { describeMigrations } from '../migrations.contract.js';

const opener = fileURLToPath(import.meta.resolve('@contract-server/test-support/sqlite/open-database-process.js'));
const insertQuota = `INSERT INTO quotas (id, plan) VALUES (hex(randomblob(8)), 'free')`;

/** The error message for a directory. */
async function errorMessageOf(directory: string): Promise<string> {
  const error = await errorOf(openTestDatabase(directory));
  expect(error).to.be.instanceOf(StartError);
  return (error as StartError).message;
}

const modesOf = (...paths: string[]) => paths.map((path) => (statSync(path).mode & 0o777).toString(8));

describe('openSqliteDatabase', () => {
  let directory: string;
  let file: string;
  beforeEach(() => {
    directory = temporaryDirectory();
    file = join(directory, 'toys.db');
  });

  describeMigrations(migrations, () => {
    const at = temporaryDirectory();
    return Promise.resolve({
      open: async (added = []) => {
        const db = await openTestDatabase(at, { migrations: [...migrations, ...added] });
        db.close();
        return db.migrations.filter(({ wasApplied }) => wasApplied).map(({ version }) => version);
      },
      query: (sql) => {
        const db = new BetterSqlite3(join(at, 'toys.db'));
        const statement = db.prepare(sql);
        const rows = statement.reader ? statement.all() : [statement.run()];
        db.close();
        return rows;
      },
    });
  });

  it('makes every commit durable, enforces foreign keys, and waits for locks as configured', async () => {
    for (const lockTimeoutMs of [0, 1234]) {
      const { connection } = await openTestDatabase(directory, { lockTimeoutMs });
      const pragmas = ['journal_mode', 'synchronous', 'foreign_keys', 'busy_timeout'];
      const values = pragmas.map((name) => connection.pragma(name, { simple: true }));
      expect(values).to.deep.equal(['wal', 2, 1, lockTimeoutMs]);
    }
  });

  it('creates directories and files that only the user can access, and keeps the modes of existing ones', async () => {
    const nested = join(directory, 'a', 'b');
    const { connection } = await openTestDatabase(nested);
    connection.exec(insertQuota);
    expect(readdirSync(nested).sort()).to.deep.equal(['toys.db', 'toys.db-shm', 'toys.db-wal']);
    for (const name of readdirSync(nested)) expect(modesOf(join(nested, name)), name).to.deep.equal(['600']);
    expect(modesOf(join(directory, 'a'), nested)).to.deep.equal(['700', '700']);
    connection.close();
    chmodSync(nested, 0o750);
    chmodSync(join(nested, 'toys.db'), 0o640);
    const again = await openTestDatabase(nested);
    expect(again.prepare('SELECT plan FROM quotas').pluck().get()).to.equal('free');
    expect(modesOf(nested, join(nested, 'toys.db'))).to.deep.equal(['750', '640']);
  });

  it('rejects the file of another program, and does not change it', async () => {
    new BetterSqlite3(file).exec('CREATE TABLE pets (id INTEGER PRIMARY KEY)').close();
    const text = Buffer.from('This is a diary, and it is longer than the header of a database file.\n'.repeat(100));
    for (const [bytes, message] of [
      [
        readFileSync(file),
        `${file} is the database of another program. Set DATA_DIR to a directory of the service's own.`,
      ],
      [text, `The database ${file} cannot be opened: file is not a database. See DATA_DIR.`],
    ] as const) {
      writeFileSync(file, bytes);
      expect(await errorMessageOf(directory)).to.equal(message);
      expect(readFileSync(file).equals(bytes)).to.equal(true);
      expect(readdirSync(directory)).to.deep.equal(['toys.db']);
    }
  });

  it('rejects a path at which no directory or file can be created', async () => {
    writeFileSync(file, '');
    const below = join(file, 'data');
    expect(await errorMessageOf(below)).to.equal(`Cannot create DATA_DIR ${below}: not a directory.`);
    // With `recursive` of Node 20, this never returns.
    expect(await errorMessageOf('/proc/petstore/data')).to.match(/^Cannot create DATA_DIR/);
    mkdirSync(join(directory, 'taken', 'toys.db'), { recursive: true });
    expect(await errorMessageOf(join(directory, 'taken'))).to.match(/cannot be opened: EISDIR/);
  });

  it('migrates once if several processes start at the same time', async () => {
    for (let round = 0; round < 3; round += 1) {
      const openers = Array.from({ length: 4 }, () => fork(opener, [join(directory, String(round))]));
      await Promise.all(openers.map((child) => once(child, 'message')));
      const responses = openers.map((child) => once(child, 'message'));
      for (const child of openers) child.send('go');
      const applied = (await Promise.all(responses)).map(([response]) => response as unknown);
      expect(applied.sort()).to.deep.equal([0, 0, 0, migrations.length]);
    }
  });
});

describe('takeServerLock', () => {
  it('allows one server per directory until it is closed, and blocks nothing else', async () => {
    const directory = temporaryDirectory();
    const message = `Another toys server uses ${directory}/. Stop it, or set DATA_DIR to another directory.`;
    for (let round = 0; round < 2; round += 1) {
      const lock = takeServerLock(directory, 'toys');
      expect(() => takeServerLock(directory, 'toys')).to.throw(StartError, message);
      expect(modesOf(join(directory, 'server.lock'))).to.deep.equal(['600']);
      (await openTestDatabase(directory)).connection.exec(insertQuota);
      takeServerLock(temporaryDirectory(), 'toys').close();
      lock.close();
    }
  });
});

describe('readMigrations', () => {
  it('reads the numbered files of a folder, and rejects a gap', async () => {
    const folder = temporaryDirectory();
    const read = () => readMigrations('toys', pathToFileURL(`${folder}/`));
    writeFileSync(join(folder, '0001-first.sql'), 'SELECT 1;');
    writeFileSync(join(folder, '0002-second.sql'), '-- A comment.\n-- compatible from 2\nSELECT 2;');
    const [first, second] = await read();
    expect(first).to.deep.include({ part: 'toys', version: 1, name: 'first', compatibleFrom: 1 });
    expect(second).to.deep.include({ version: 2, name: 'second', compatibleFrom: 2 });
    writeFileSync(join(folder, '0004-fourth.sql'), '');
    expect(await errorOf(read())).to.match(/^Error: The migration 0004-fourth\.sql must have the number 3\.$/);
  });
});
