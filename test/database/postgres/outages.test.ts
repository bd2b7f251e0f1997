import { giveToPostgres } from '@contract-server/test-support/machine/postgres-programs.js';
import { fillDisk, freeDisk, mountSmallDisk } from '@contract-server/test-support/mounts.js';
import { describePostgres } from '@contract-server/test-support/postgres/postgres.js';
import { PostgresServer } from '@contract-server/test-support/postgres/postgres-server.js';
import { expectUnavailable } from '@contract-server/test-support/unavailable.js';
import { expect } from 'chai';
import { PostgresPetStore } from '#src/pets/postgres/pet-store.js';
import { openTestPostgres } from '../../support/databases.js';
import { rex } from '../../support/pets.js';

describePostgres('PostgreSQL', () => {
  it('rejects creations and serves reads on a full disk until there is space', async function () {
    // Of its own, because a checkpoint for another test would fail too.
    const server = await PostgresServer.create();
    const directory = mountSmallDisk(this, 32 * 2 ** 20);
    giveToPostgres(directory);
    await server.query(`CREATE TABLESPACE small LOCATION '${directory}'`);
    const url = await server.createDatabase('TABLESPACE small');
    const db = await openTestPostgres(url);
    const pets = new PostgresPetStore(db);
    let last = await pets.insert(rex);
    fillDisk(directory);
    // Free space within the pages of the tables can hold further rows.
    const fill = async () => {
      for (;;) last = Math.max(...(await Promise.all(Array.from({ length: 100 }, () => pets.insert(rex)))));
    };
    await expectUnavailable(fill(), /^53100$/);
    expect(await pets.find(last)).to.be.a('string');
    freeDisk(directory);
    expect(await pets.insert(rex)).to.be.above(last);
  });
});
