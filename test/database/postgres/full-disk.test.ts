import { expect } from 'chai';
import { PostgresPetStore } from '#src/pets/postgres/pet-store.js';
import { giveToPostgres } from '../../../scripts/machine/postgres-programs.js';
import { fillDisk, freeDisk, mountSmallDisk } from '../../support/mounts.js';
import { rex } from '../../support/pets.js';
import { describePostgres, openTestPostgres, sharedPostgres } from '../../support/postgres/postgres.js';
import { expectUnavailable } from '../../support/unavailable.js';

describePostgres('PostgreSQL on a full disk', () => {
  it('rejects creations and serves reads until there is space', async function () {
    const server = await sharedPostgres();
    const directory = mountSmallDisk(this, 32 * 2 ** 20);
    giveToPostgres(directory);
    await server.query(`CREATE TABLESPACE small LOCATION '${directory}'`);
    const url = await server.createDatabase('TABLESPACE small');
    const db = await openTestPostgres(url);
    const pets = new PostgresPetStore(db);
    let last = await pets.insert(rex);
    fillDisk(directory);
    // Free space within the pages of the tables can hold further rows.
    const create = () => Promise.all(Array.from({ length: 100 }, () => pets.insert(rex)));
    const fill = async () => {
      for (;;) last = Math.max(...(await create()));
    };
    await expectUnavailable(fill(), /^53100$/);
    expect(await pets.find(last)).to.be.a('string');
    freeDisk(directory);
    expect(await pets.insert(rex)).to.be.above(last);
    await pets.close();
    await db.close();
    await server.query(`DROP DATABASE ${new URL(url).pathname.slice(1)}`);
    await server.query('DROP TABLESPACE small');
  });
});
