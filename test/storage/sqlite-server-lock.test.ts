import { existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { StartError } from '#src/domain/start-error.js';
import { ServerLock } from '#src/storage/sqlite/server-lock.js';
import { openTestDatabase } from '../support/database.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

describe('ServerLock', () => {
  let directory: string;
  beforeEach(() => (directory = temporaryDirectory()));

  it('lets one server onto a directory, and tells the next which process is there', () => {
    const lock = new ServerLock(directory);
    expect(() => new ServerLock(directory)).to.throw(
      StartError,
      `Another petstore server (process ${String(process.pid)}) uses ${directory}/. Stop it, or set DATA_DIR to another directory.`,
    );
    lock.close();
  });

  it('is free again once it is closed, however often it was refused', () => {
    for (let round = 0; round < 3; round += 1) {
      const lock = new ServerLock(directory);
      expect(() => new ServerLock(directory)).to.throw(StartError);
      lock.close();
    }
    new ServerLock(directory).close();
  });

  it('keeps nobody from another directory, and no command from the database beside it', () => {
    const locks = [new ServerLock(directory), new ServerLock(temporaryDirectory())];
    const db = openTestDatabase(directory);
    db.exec(`INSERT INTO pets (name, category_id, status) VALUES ('Rex', 7, 'sold')`);
    db.close();
    for (const lock of locks) lock.close();
  });

  it('is a private file', () => {
    const lock = new ServerLock(directory);
    expect((statSync(join(directory, 'server.lock')).mode & 0o777).toString(8)).to.equal('600');
    lock.close();
  });

  describe('of a directory that is exchanged', () => {
    const another = () => `Another petstore server (process ${String(process.pid)}) uses ${join(directory, '/')}`;
    let lock: ServerLock;
    beforeEach(() => {
      directory = join(directory, 'data');
      lock = new ServerLock(directory);
    });
    afterEach(() => lock.close());

    it('is held again in the one that took its place, once that has stood still', () => {
      renameSync(directory, `${directory}.away`);
      expect(lock.tend()).to.equal('the data directory is gone; put it back, or a backup into another one');
      expect(existsSync(directory)).to.equal(false);
      mkdirSync(directory);
      expect(lock.tend()).to.equal('the data directory was moved, deleted or replaced');
      expect(lock.tend()).to.equal(undefined);
      expect(() => new ServerLock(directory)).to.throw(StartError, another());
    });

    it('is held again where the file was deleted', () => {
      rmSync(join(directory, 'server.lock'));
      lock.tend();
      expect(lock.tend()).to.equal(undefined);
      expect(() => new ServerLock(directory)).to.throw(StartError, another());
    });

    it('is not held while another server has the directory, and again once that has ended', () => {
      rmSync(directory, { recursive: true });
      const other = new ServerLock(directory);
      lock.tend();
      for (let second = 0; second < 3; second += 1) {
        expect(lock.tend()).to.equal(`${another()}. Stop it, or set DATA_DIR to another directory`);
      }
      other.close();
      lock.tend();
      expect(lock.tend()).to.equal(undefined);
    });
  });
});
