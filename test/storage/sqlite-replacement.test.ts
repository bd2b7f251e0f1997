import { renameSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { openTestDatabase, openTestStore } from '../support/database.js';
import { began, createDatabase, ExchangedDatabase, namesIn } from '../support/exchanged-database.js';
import { mountSmallDisk, unmount } from '../support/mounts.js';

describe('What is put into the place of a database', () => {
  let scene: ExchangedDatabase;
  let directory: string;
  let file: string;
  beforeEach(async () => {
    scene = await ExchangedDatabase.open();
    ({ directory, file } = scene);
  });
  afterEach(() => scene.db.close());

  describe('is not taken if it is', () => {
    const reads = async () => expect(await scene.nameOf(1)).to.equal('Rex');
    const unusable = (fault: string) => `the file in its place cannot be used: ${fault}`;
    const restore = async (expected: string) => {
      scene.tend();
      expect(scene.told.at(-1)).to.equal(began(expected));
      await scene.expectRefused();
      renameSync(await createDatabase('Ada'), file);
      scene.tend();
      expect([await scene.nameOf(1), await scene.insert('Bea')]).to.deep.equal(['Ada', 2]);
    };

    it('an empty file', async () => {
      rmSync(file);
      writeFileSync(file, '');
      scene.tend();
      await reads();
      await restore(unusable('it is empty'));
    });

    it('a file that is no database', async () => {
      rmSync(file);
      writeFileSync(file, 'x'.repeat(10_000));
      scene.tend();
      await reads();
      await restore(unusable('it is no database'));
    });

    it('the database of another program', async () => {
      rmSync(file);
      new Database(file).exec('CREATE TABLE pets (id INTEGER)').close();
      scene.tend();
      await reads();
      await restore(unusable('it is the database of another program'));
    });

    it('a copy that is not complete yet', async () => {
      const other = await createDatabase('Ada');
      truncateSync(other, 8192);
      renameSync(other, file);
      rmSync(`${file}-wal`);
      scene.tend();
      await reads();
      await restore(unusable('it is cut short, or still being copied'));
    });

    it('the empty database that a command makes where it finds none', async () => {
      rmSync(directory, { recursive: true });
      scene.db.tend();
      openTestStore(directory).close();
      await restore(unusable('it is empty'));
    });

    it('the database of a newer release', async () => {
      const newer = await createDatabase('Ada');
      const beside = new Database(newer);
      beside.pragma('user_version = 99');
      beside.close();
      renameSync(newer, file);
      scene.tend();
      await reads();
      await restore(unusable('it was written by a newer release'));
    });
  });

  describe('keeps its log', () => {
    /** Another database takes the place, with a connection that has just written to it. */
    async function replaceByBusyOne(): Promise<Database.Database> {
      const other = await createDatabase('Ada');
      const busy = new Database(other);
      busy.pragma('journal_mode = WAL');
      busy.exec(`INSERT INTO pets (name, category_id, status) VALUES ('Bea', 7, 'sold')`);
      for (const suffix of ['', '-wal', '-shm']) renameSync(`${other}${suffix}`, `${file}${suffix}`);
      return busy;
    }

    function expectUntouched(busy: Database.Database): void {
      expect(statSync(`${file}-wal`).size).to.be.above(0);
      busy.exec(`INSERT INTO pets (name, category_id, status) VALUES ('Cid', 7, 'sold')`);
      busy.close();
      expect(namesIn(file)).to.deep.equal(['Ada', 'Bea', 'Cid']);
    }

    it('when the old one is closed', async () => {
      const busy = await replaceByBusyOne();
      scene.db.close();
      expectUntouched(busy);
    });

    it('when it is served', async () => {
      const busy = await replaceByBusyOne();
      scene.tend();
      expect(await scene.nameOf(2)).to.equal('Bea');
      scene.db.close();
      expectUntouched(busy);
    });

    it('also where that has the same inode on another file system, which SQLite takes for the same file', function () {
      const mountPoint = mountSmallDisk(this, 2 ** 20);
      const onDisk = openTestStore(mountPoint);
      const old = join(mountPoint, 'petstore.db');
      const inode = statSync(old).ino;
      mountSmallDisk(this, 2 ** 20, mountPoint);
      const busy = openTestDatabase(mountPoint);
      expect(statSync(old).ino, 'the inode of another file system').to.equal(inode);
      busy.exec(`INSERT INTO pets (name, category_id, status) VALUES ('Ada', 7, 'sold')`);
      onDisk.close();
      expect(statSync(`${old}-wal`).size).to.be.above(0);
      busy.close();
      expect(namesIn(old)).to.deep.equal(['Ada']);
      unmount(mountPoint);
      unmount(mountPoint);
    });
  });
});
