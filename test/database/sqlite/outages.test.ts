import { readFileSync, writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { SqliteKeyStore } from '#src/api-keys/sqlite-key-store.js';
import type { SqliteDatabase } from '#src/database/sqlite/database.js';
import { ApiError } from '#src/lib/errors.js';
import { SqlitePetStore } from '#src/pets/sqlite/pet-store.js';
import { SqlitePetTransfer } from '#src/pets/sqlite/pet-transfer.js';
import { closeLater } from '../../support/closing.js';
import { errorOf } from '../../support/error-of.js';
import { creationRequest, rex } from '../../support/pets.js';
import { openTestDatabase } from '../../support/sqlite/database.js';
import { expectUnavailable } from '../../support/unavailable.js';

/** No request waits longer than this for a lock: the lock timeout of 0.6 s, and the delays of a busy machine. */
const lockWaitMsMax = 4000;

describe('SQLite outages', () => {
  let db: SqliteDatabase;
  let pets: SqlitePetStore;
  beforeEach(async () => {
    db = await openTestDatabase();
    pets = new SqlitePetStore(db);
  });

  describe('while another process holds the write lock', () => {
    let other: Database.Database;
    beforeEach(async () => {
      await pets.insertOnce(rex, creationRequest);
      other = new Database(db.connection.name);
      closeLater(() => other.close());
      other.exec('BEGIN IMMEDIATE');
    });

    it('rejects creations after their timeout, all at the same time, and does not block the event loop', async () => {
      const startedAt = performance.now();
      let ticks = 0;
      const ticking = setInterval(() => (ticks += 1), 20);
      const waiting = Array.from({ length: 50 }, () => pets.insert(rex));
      await Promise.all(waiting.map((insertion) => expectUnavailable(insertion, /^SQLITE_BUSY/)));
      clearInterval(ticking);
      expect(performance.now() - startedAt).to.be.within(500, lockWaitMsMax);
      expect(ticks).to.be.above(5);
    });

    it('replays earlier creations, deletes no key, and rejects new creations', async () => {
      expect(await pets.findReplay(creationRequest)).to.deep.equal({ kind: 'replayed', id: 1 });
      expect(await pets.deleteExpiredKeys(creationRequest.receivedAt)).to.equal(0);
      await expectUnavailable(pets.deleteExpiredKeys(creationRequest.expiresAt), /^SQLITE_BUSY/);
      await expectUnavailable(pets.insertOnce(rex, { ...creationRequest, key: 'two' }), /^SQLITE_BUSY/);
      expect(await pets.findReplay({ ...creationRequest, key: 'two' })).to.equal(undefined);
    });

    it('rejects a change of a key, and an import, which can be committed later', async () => {
      await expectUnavailable(new SqliteKeyStore(db).update('key_x', { name: 'x' }), /^SQLITE_BUSY/);
      const staging = new SqlitePetTransfer(db).startImport();
      await staging.add([rex, rex]);
      await expectUnavailable(staging.commit(), /^SQLITE_BUSY/);
      expect(await pets.find(2)).to.equal(undefined);
      other.exec('COMMIT');
      expect(await staging.commit()).to.equal(2);
    });
  });

  it('rejects creations and serves reads while the disk is full or read-only, and recovers', async () => {
    const id = await pets.insert(rex);
    db.connection.pragma('query_only = ON');
    await expectUnavailable(pets.insert(rex), /^SQLITE_READONLY/);
    db.connection.pragma('query_only = OFF');
    const pageCountMax = db.connection.pragma('max_page_count', { simple: true }) as number;
    db.connection.pragma(`max_page_count = ${String(db.connection.pragma('page_count', { simple: true }))}`);
    await expectUnavailable(pets.insert({ ...rex, name: 'x'.repeat(100_000) }), /^SQLITE_FULL/);
    expect(await pets.find(id)).to.be.a('string');
    db.connection.pragma(`max_page_count = ${String(pageCountMax)}`);
    expect(await pets.insert(rex)).to.be.above(id);
  });

  it('commits nothing to a damaged file, and reads its undamaged parts', async () => {
    await Promise.all(Array.from({ length: 3000 }, () => pets.insert(rex)));
    const file = db.connection.name;
    const beside = new Database(file);
    // The pages that the store has cached are stale after a write, so it reads the file again.
    beside.exec('UPDATE pets SET name = name');
    beside.pragma('wal_checkpoint(TRUNCATE)');
    beside.close();
    writeFileSync(file, readFileSync(file).fill(0xff, 4096 * 20, 4096 * 30));
    expect(await pets.insert(rex)).to.equal(3001);
    await expectUnavailable(pets.find(1000), /^SQLITE_CORRUPT/);
    expect(await errorOf(pets.insert(rex))).to.be.instanceOf(ApiError);
    for (const id of [1, 3001]) expect(await pets.find(id)).to.be.a('string');
    expect(await pets.find(3002)).to.equal(undefined);
  });
});
