import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { SqliteKeyStore } from '#src/api-keys/sqlite-key-store.js';
import type { SqliteDatabase } from '#src/database/sqlite/database.js';
import { ApiError } from '#src/lib/errors.js';
import { SqlitePetStore } from '#src/pets/sqlite/pet-store.js';
import { SqlitePetTransfer } from '#src/pets/sqlite/pet-transfer.js';
import { errorOf } from '../../support/error-of.js';
import { creationRequest, rex } from '../../support/pets.js';
import { openTestDatabase } from '../../support/sqlite/database.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { expectUnavailable } from '../../support/unavailable.js';

/** No request waits longer than this for a lock: the lock timeout of 0.6 s, and the delays of a busy machine. */
const lockWaitMsMax = 4000;

describe('SQLite outages', () => {
  let directory: string;
  let db: SqliteDatabase;
  let pets: SqlitePetStore;
  beforeEach(async () => {
    directory = temporaryDirectory();
    db = await openTestDatabase(directory);
    pets = new SqlitePetStore(db);
  });
  afterEach(async () => {
    await pets.close();
    db.close();
  });

  describe('while another process holds the write lock', () => {
    let other: Database.Database;
    beforeEach(() => {
      other = new Database(join(directory, 'petstore.db'));
      other.exec('BEGIN IMMEDIATE');
    });
    afterEach(() => other.close());

    it('rejects a creation after its timeout, and does not block the event loop', async () => {
      const startedAt = performance.now();
      let ticks = 0;
      const ticking = setInterval(() => (ticks += 1), 20);
      await expectUnavailable(pets.insert(rex), /^SQLITE_BUSY/);
      clearInterval(ticking);
      expect(performance.now() - startedAt).to.be.within(500, lockWaitMsMax);
      expect(ticks).to.be.above(5);
    });

    it('rejects creations that wait together at the same time', async () => {
      const startedAt = performance.now();
      const waiting = Array.from({ length: 50 }, () => pets.insert(rex));
      await Promise.all(waiting.map((insertion) => expectUnavailable(insertion, /^SQLITE_BUSY/)));
      expect(performance.now() - startedAt).to.be.below(lockWaitMsMax);
    });

    it('writes waiting creations as soon as the lock is released', async () => {
      const waiting = Promise.all([pets.insert(rex), pets.insert(rex)]);
      setTimeout(() => other.exec('COMMIT'), 100);
      expect(await waiting).to.deep.equal([1, 2]);
    });

    it('replays earlier creations, deletes no key, and rejects new creations', async () => {
      other.exec('COMMIT');
      await pets.insertOnce(rex, creationRequest);
      other.exec('BEGIN IMMEDIATE');
      expect(await pets.findReplay(creationRequest)).to.deep.equal({ kind: 'replayed', id: 1 });
      expect(await pets.deleteExpiredKeys(creationRequest.receivedAt)).to.equal(0);
      await expectUnavailable(pets.deleteExpiredKeys(creationRequest.expiresAt), /^SQLITE_BUSY/);
      await expectUnavailable(pets.insertOnce(rex, { ...creationRequest, key: 'two' }), /^SQLITE_BUSY/);
      expect(await pets.findReplay({ ...creationRequest, key: 'two' })).to.equal(undefined);
    });

    it('serves reads', async () => {
      expect(await pets.list({ limit: 5, status: undefined, afterId: 0 })).to.deep.equal({
        pets: '[]',
        lastId: undefined,
      });
      expect(await new SqliteKeyStore(db).exportAll()).to.deep.equal([]);
    });

    it('rejects a change of a key, and an import, which can be committed later', async () => {
      await expectUnavailable(new SqliteKeyStore(db).update('key_x', { name: 'x' }), /^SQLITE_BUSY/);
      const staging = new SqlitePetTransfer(db).startImport();
      await staging.add([rex, rex]);
      await expectUnavailable(staging.commit(), /^SQLITE_BUSY/);
      expect(await pets.find(1)).to.equal(undefined);
      other.exec('COMMIT');
      expect(await staging.commit()).to.equal(2);
    });
  });

  it('rejects creations and serves reads while the disk is full, and recovers', async () => {
    const id = await pets.insert(rex);
    const pageCountMax = db.connection.pragma('max_page_count', { simple: true }) as number;
    db.connection.pragma(`max_page_count = ${String(db.connection.pragma('page_count', { simple: true }))}`);
    await expectUnavailable(pets.insert({ ...rex, name: 'x'.repeat(100_000) }), /^SQLITE_FULL/);
    expect(await pets.find(id)).to.be.a('string');
    db.connection.pragma(`max_page_count = ${String(pageCountMax)}`);
    expect(await pets.insert(rex)).to.be.above(id);
  });

  it('rejects creations while the file is read-only', async () => {
    db.connection.pragma('query_only = ON');
    await expectUnavailable(pets.insert(rex), /^SQLITE_READONLY/);
  });

  it('commits nothing to a damaged file, and reads its undamaged parts', async () => {
    await Promise.all(Array.from({ length: 3000 }, () => pets.insert(rex)));
    const file = join(directory, 'petstore.db');
    const beside = new Database(file);
    // The pages that the store has cached are stale after a write, so it reads the file again.
    beside.exec('UPDATE pets SET name = name');
    beside.pragma('wal_checkpoint(TRUNCATE)');
    beside.close();
    const bytes = readFileSync(file).fill(0xff, 4096 * 20, 4096 * 30);
    writeFileSync(file, bytes);
    expect(await pets.insert(rex)).to.equal(3001);
    await expectUnavailable(pets.find(1000), /^SQLITE_CORRUPT/);
    expect(await errorOf(pets.insert(rex))).to.be.instanceOf(ApiError);
    expect(await pets.find(1)).to.be.a('string');
    expect(await pets.find(3001)).to.be.a('string');
    expect(await pets.find(3002)).to.equal(undefined);
  });

  it('does not report an internal error as an outage', async () => {
    let runs = 0;
    const run = () => {
      runs += 1;
      return db.prepare('SELECT * FROM no_such_table').all();
    };
    expect(await errorOf(db.run(run)))
      .to.be.instanceOf(Database.SqliteError)
      .and.include({ code: 'SQLITE_ERROR' });
    expect(runs).to.equal(1);
  });
});
