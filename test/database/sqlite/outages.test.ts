import { readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { closeLater } from '@contract-server/test-support/closing.js';
import { errorOf } from '@contract-server/test-support/error-of.js';
import { openBeside } from '@contract-server/test-support/fault-injection.js';
import { expectUnavailable } from '@contract-server/test-support/unavailable.js';
import type Database from 'better-sqlite3';
import { expect } from 'chai';
import { ApiError } from 'contract-server';
import type { SqliteDatabase } from 'contract-server/sqlite';
import { SqlitePetStore } from '#src/pets/sqlite/pet-store.js';
import { openTestDatabase } from '../../support/databases.js';
import { creationRequest, rex } from '../../support/pets.js';

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
      other = openBeside({ directory: dirname(db.connection.name) });
      closeLater(() => other.close());
      other.exec('BEGIN IMMEDIATE');
    });

    it('replays earlier creations, deletes no key, and rejects new creations', async () => {
      expect(await pets.findReplay(creationRequest)).to.deep.equal({ kind: 'replayed', id: 1 });
      expect(await pets.deleteExpiredKeys(creationRequest.receivedAt)).to.equal(0);
      await expectUnavailable(pets.deleteExpiredKeys(creationRequest.expiresAt), /^SQLITE_BUSY/);
      await expectUnavailable(pets.insertOnce(rex, { ...creationRequest, key: 'two' }), /^SQLITE_BUSY/);
      expect(await pets.findReplay({ ...creationRequest, key: 'two' })).to.equal(undefined);
    });
  });

  it('commits nothing to a damaged file, and reads its undamaged parts', async () => {
    await Promise.all(Array.from({ length: 3000 }, () => pets.insert(rex)));
    const file = db.connection.name;
    const beside = openBeside({ directory: dirname(file) });
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
