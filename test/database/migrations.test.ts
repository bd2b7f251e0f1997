import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { readMigrations } from '#src/database/migrations.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

describe('readMigrations', () => {
  it('reads the numbered files of a folder, and rejects a gap', async () => {
    const folder = temporaryDirectory();
    const url = pathToFileURL(`${folder}/`);
    writeFileSync(join(folder, '0001-first.sql'), 'SELECT 1;');
    writeFileSync(join(folder, '0002-second.sql'), '-- A comment.\n-- compatible from 2\nSELECT 2;');
    expect((await readMigrations(url)).map(({ sql: _sql, ...rest }) => rest)).to.deep.equal([
      { version: 1, name: 'first', compatibleFrom: 1 },
      { version: 2, name: 'second', compatibleFrom: 2 },
    ]);
    writeFileSync(join(folder, '0004-fourth.sql'), '');
    expect(await readMigrations(url).catch(String)).to.equal(
      'Error: The migration 0004-fourth.sql must have the number 3.',
    );
  });
});
