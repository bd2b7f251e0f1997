import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { SqliteKeyStore } from '#src/storage/sqlite/key-store.js';
import { began, createDatabase, ExchangedDatabase, namesIn, over } from '../support/exchanged-database.js';

const moved = 'it was moved, deleted or replaced';
const gone = 'it is gone; put it back, or a backup of it';

describe('A database whose file is exchanged', () => {
  let scene: ExchangedDatabase;
  let directory: string;
  let file: string;
  beforeEach(async () => {
    scene = await ExchangedDatabase.open();
    ({ directory, file } = scene);
  });
  afterEach(() => scene.db.close());

  it('acknowledges nothing once the file was renamed, still reads, and goes on when it is back', async () => {
    renameSync(file, `${file}.away`);
    await scene.expectRefused();
    scene.tend();
    await scene.expectRefused();
    expect(await scene.nameOf(1)).to.equal('Rex');
    expect(existsSync(file)).to.equal(false);
    renameSync(`${file}.away`, file);
    scene.tend();
    const id = await scene.insert('Bo');
    expect(await scene.nameOf(id)).to.equal('Bo');
    scene.tend();
    expect(scene.told).to.deep.equal([began(moved), began(gone), over(moved, gone)]);
    expect(namesIn(file)).to.include.members(['Rex', 'Bo']);
  });

  it('notices by itself, without a creation, and tells of it once', async () => {
    rmSync(directory, { recursive: true });
    for (let second = 0; second < 5; second += 1) scene.db.tend();
    expect(scene.told).to.deep.equal([began(moved), began(gone)]);
    expect(await scene.nameOf(1)).to.equal('Rex');
    expect(existsSync(directory)).to.equal(false);
  });

  it('serves another database that is put in the place of a deleted one, with the statements that it has', async () => {
    const keys = new SqliteKeyStore(scene.db);
    expect(await keys.findByHash(Buffer.alloc(1))).to.include({ id: 'key', name: 'shop' });
    rmSync(directory, { recursive: true });
    await scene.expectRefused();
    const other = await createDatabase('Ada', 'Bea');
    mkdirSync(directory);
    renameSync(other, file);
    scene.tend();
    expect([await scene.nameOf(1), await scene.nameOf(2), await scene.insert('Mia')]).to.deep.equal(['Ada', 'Bea', 3]);
    expect(await keys.findByHash(Buffer.alloc(1))).to.include({ id: 'key', name: 'shop' });
    scene.db.close();
    expect(namesIn(file)).to.deep.equal(['Ada', 'Bea', 'Mia']);
  });

  it('serves another database that replaces it, and leaves what was acknowledged in the old one', async () => {
    linkSync(file, `${file}.old`);
    await scene.insert('Mia');
    renameSync(await createDatabase('Ada'), file);
    await scene.expectRefused();
    scene.tend();
    expect([await scene.nameOf(1), await scene.insert('Bea')]).to.deep.equal(['Ada', 2]);
    scene.db.close();
    expect(namesIn(file)).to.deep.equal(['Ada', 'Bea']);
    expect(namesIn(`${file}.old`)).to.include.members(['Rex', 'Mia']);
  });

  it('follows a directory that is moved away and replaced by a copy, with a log of its own', async () => {
    const copy = `${directory}.copy`;
    mkdirSync(copy);
    for (const name of readdirSync(directory)) copyFileSync(join(directory, name), join(copy, name));
    renameSync(directory, `${directory}.away`);
    renameSync(copy, directory);
    await scene.expectRefused();
    scene.tend();
    expect([await scene.nameOf(1), await scene.insert('Bo')]).to.deep.equal(['Rex', 2]);
    scene.db.close();
    expect(namesIn(file)).to.deep.equal(['Rex', 'Bo']);
  });

  it('loses nothing when the log alone is deleted', async () => {
    rmSync(`${file}-wal`);
    rmSync(`${file}-shm`);
    await scene.expectRefused();
    scene.tend();
    await scene.insert('Bo');
    scene.db.close();
    expect(namesIn(file)).to.include.members(['Rex', 'Bo']);
  });

  describe('and in which damage is found', () => {
    const damaged = 'database disk image is malformed (SQLITE_CORRUPT)';

    beforeEach(async () => {
      await Promise.all(Array.from({ length: 3000 }, () => scene.insert('Rex')));
      const beside = new Database(file);
      // What the store has in memory is stale after a write; the checkpoint makes sure that it can read the file alone.
      beside.exec('UPDATE pets SET name = name');
      beside.pragma('wal_checkpoint(TRUNCATE)');
      // The first page, which holds the schema, stays whole.
      truncateSync(file, 4096);
      truncateSync(file, 4096 * 100);
      beside.close();
      await scene.expectRefused(scene.pets.find(2000));
    });

    it('is not written, nor tried again, until the file has changed', async () => {
      for (let second = 0; second < 5; second += 1) scene.db.tend();
      await scene.expectRefused();
      expect(scene.told).to.deep.equal([began(damaged)]);
    });

    it('is replaced by a good one, which is moved into its place', async () => {
      renameSync(await createDatabase('Ada'), file);
      scene.tend();
      expect([await scene.nameOf(1), await scene.insert('Bea')]).to.deep.equal(['Ada', 2]);
      scene.tend();
      expect(scene.told.at(-1)).to.match(/^petstore\.db works again\./);
      scene.db.close();
      expect(namesIn(file)).to.deep.equal(['Ada', 'Bea']);
    });

    it('is replaced by a good one, which is copied over it', async () => {
      copyFileSync(await createDatabase('Ada'), file);
      scene.tend();
      expect([await scene.nameOf(1), await scene.insert('Bea')]).to.deep.equal(['Ada', 2]);
      scene.db.close();
      expect(namesIn(file)).to.deep.equal(['Ada', 'Bea']);
    });
  });

  describe('and in which damage is found while its log holds what was written last', () => {
    let bytes: Buffer;

    beforeEach(async () => {
      await Promise.all(Array.from({ length: 3000 }, () => scene.insert('Rex')));
      const beside = new Database(file);
      beside.exec('UPDATE pets SET name = name');
      beside.pragma('wal_checkpoint(TRUNCATE)');
      beside.exec(`UPDATE api_keys SET name = 'other'`);
      beside.close();
      // The animals in the middle; a creation touches none of these pages.
      bytes = readFileSync(file).fill(0xff, 4096 * 20, 4096 * 30);
      writeFileSync(file, bytes);
    });

    const findDamage = () => scene.expectRefused(scene.pets.find(1000));

    it('is not written, nor served again, also when a reader beside it has left', async () => {
      const reader = new Database(file, { readonly: true });
      reader.exec('BEGIN');
      reader.prepare('SELECT name FROM api_keys').get();
      await findDamage();
      scene.tend();
      reader.close();
      scene.tend();
      await scene.expectRefused();
      scene.db.close();
      expect(readFileSync(file).equals(bytes), 'the file is as it was').to.equal(true);
      expect(scene.told).to.deep.equal([began('database disk image is malformed (SQLITE_CORRUPT)')]);
    });

    it('is not tried again when its log is removed before a backup is put into its place', async () => {
      await findDamage();
      for (const suffix of ['-wal', '-shm']) rmSync(`${file}${suffix}`);
      scene.tend();
      await scene.expectRefused();
      expect(existsSync(`${file}-wal`)).to.equal(false);
      copyFileSync(await createDatabase('Ada'), file);
      scene.tend();
      expect([await scene.nameOf(1), await scene.insert('Bea')]).to.deep.equal(['Ada', 2]);
    });

    it('is replaced by a good one once its log is removed', async () => {
      await findDamage();
      renameSync(await createDatabase('Ada'), file);
      scene.tend();
      expect(scene.told.at(-1)).to.equal(
        began('petstore.db-wal belongs to the file that was there before; remove it and petstore.db-shm'),
      );
      for (const suffix of ['-wal', '-shm']) rmSync(`${file}${suffix}`);
      scene.tend();
      expect([await scene.nameOf(1), await scene.insert('Bea')]).to.deep.equal(['Ada', 2]);
      scene.db.close();
      expect(namesIn(file)).to.deep.equal(['Ada', 'Bea']);
    });
  });
});
