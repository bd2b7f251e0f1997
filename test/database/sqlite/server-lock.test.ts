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

  it('allows one server per directory until it is closed', () => {
    for (let round = 0; round < 3; round += 1) {
      const lock = takeServerLock(directory);
      expect(() => takeServerLock(directory)).to.throw(
        StartError,
        `Another petstore server uses ${directory}/. Stop it, or set DATA_DIR to another directory.`,
      );
      lock.close();
    }
  });

  it('blocks neither other directories nor commands that use the database', async () => {
    const locks = [takeServerLock(directory), takeServerLock(temporaryDirectory())];
    const { connection } = await openTestDatabase(directory);
    connection.exec(`INSERT INTO pets (name, category_id, status) VALUES ('Rex', 7, 'sold')`);
    connection.close();
    for (const lock of locks) lock.close();
  });

  it('is a file that only its owner can access', () => {
    const lock = takeServerLock(directory);
    expect((statSync(join(directory, 'server.lock')).mode & 0o777).toString(8)).to.equal('600');
    lock.close();
  });
});
