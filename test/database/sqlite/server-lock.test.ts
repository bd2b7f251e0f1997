import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { takeServerLock } from '#src/database/sqlite/server-lock.js';
import { StartError } from '#src/lib/errors.js';
import { openTestDatabase } from '../../support/sqlite/database.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

describe('takeServerLock', () => {
  let directory: string;
  beforeEach(() => (directory = temporaryDirectory()));

  it('allows one server per directory, and names its process to the next one', () => {
    const lock = takeServerLock(directory);
    expect(() => takeServerLock(directory)).to.throw(
      StartError,
      `Another petstore server (process ${String(process.pid)}) uses ${directory}/. Stop it, or set DATA_DIR to ` +
        'another directory.',
    );
    lock.close();
  });

  it('is free again when it is closed', () => {
    for (let round = 0; round < 3; round += 1) {
      const lock = takeServerLock(directory);
      expect(() => takeServerLock(directory)).to.throw(StartError);
      lock.close();
    }
    takeServerLock(directory).close();
  });

  it('blocks neither other directories nor commands that use the database', () => {
    const locks = [takeServerLock(directory), takeServerLock(temporaryDirectory())];
    const db = openTestDatabase(directory);
    db.exec(`INSERT INTO pets (name, category_id, status) VALUES ('Rex', 7, 'sold')`);
    db.close();
    for (const lock of locks) lock.close();
  });

  it('is a file that only its owner can access', () => {
    const lock = takeServerLock(directory);
    expect((statSync(join(directory, 'server.lock')).mode & 0o777).toString(8)).to.equal('600');
    lock.close();
  });
});
