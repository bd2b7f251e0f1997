import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { OutageClient } from '../support/clients/outage-client.js';
import { fillDisk, freeDisk, mountSmallDisk, unmount } from '../support/mounts.js';
import { createUnlimitedKey, ServerProcess } from '../support/servers/server-process.js';
import { readStoredPets } from '../support/sqlite/stored-pets.js';

describe('a start on a full disk', function () {
  this.timeout(30_000);
  for (const [how, prepare] of [
    ['with an existing database', () => undefined],
    ['into an empty directory', (directory: string) => rmSync(join(directory, 'petstore.db'))],
  ] as const) {
    it(`${how} fails with one clear message, and works when there is space`, async function () {
      const directory = mountSmallDisk(this, 3 * 2 ** 20);
      let server = await ServerProcess.start({ DATA_DIR: directory });
      const client = new OutageClient(server.baseUrl, await createUnlimitedKey(directory));
      await client.createMany(50);
      await server.stop();
      prepare(directory);
      fillDisk(directory);
      server = new ServerProcess({ DATA_DIR: directory });
      expect(await server.ended).to.deep.equal({ code: 1, signal: null });
      expect(server.stderr).to.match(/^error: .*: the disk is full; .*\n$/);
      freeDisk(directory);
      server = await ServerProcess.start({ DATA_DIR: directory });
      expect(await server.stop()).to.deep.equal({ code: 0, signal: null });
      if (how === 'with an existing database') {
        const stored = readStoredPets(directory);
        for (const pet of client.acknowledged.values()) expect(stored.get(pet.id)).to.deep.equal(pet);
      }
      unmount(directory);
    });
  }
});
