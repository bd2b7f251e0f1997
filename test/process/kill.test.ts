import { randomInt } from 'node:crypto';
import { expect } from 'chai';
import { type Acknowledged, CreatingClient } from '../support/clients/creating-client.js';
import { fetchListedPets } from '../support/clients/listed-pets.js';
import { createUnlimitedKey, ServerProcess } from '../support/servers/server-process.js';
import { readStoredPets } from '../support/sqlite/stored-pets.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const rounds = process.env['PETSTORE_TEST_FAULTS'] === undefined ? 1 : 20;
const clientCount = 8;

describe('kill -9 during creations', () => {
  it(`loses no acknowledged pet and stores none twice, ${String(rounds)} times over`, async function () {
    this.timeout(rounds * 12_000);
    const directory = temporaryDirectory();
    const acknowledged = new Map<number, Acknowledged>();
    let server = await ServerProcess.start({ DATA_DIR: directory });
    const token = await createUnlimitedKey(directory);

    for (let round = 1; round <= rounds; round += 1) {
      const killAfter = randomInt(1, 600);
      const what = `round ${String(round)}, killed after ${String(killAfter)} responses`;
      await createUntilKilled(server, token, killAfter, `round ${String(round)}`, acknowledged);
      expect(await server.ended, what).to.deep.equal({ code: null, signal: 'SIGKILL' });
      server = await ServerProcess.start({ DATA_DIR: directory });

      const listed = await fetchListedPets(server.baseUrl, token);
      expect(new Set(listed.map(({ name }) => name)).size, what).to.equal(listed.length);
      const byId = new Map(listed.map((pet) => [pet.id, pet]));
      for (const pet of acknowledged.values()) expect(byId.get(pet.id), what).to.deep.equal(pet);
      // At most the one request that each client had in flight at a kill may have been stored without its response.
      expect(listed.length - acknowledged.size, what).to.be.within(0, clientCount * round);
    }

    expect(await server.stop()).to.deep.equal({ code: 0, signal: null });
    expect(readStoredPets(directory).size).to.be.at.least(acknowledged.size);
  });
});

async function createUntilKilled(
  server: ServerProcess,
  token: string,
  killAfter: number,
  name: string,
  acknowledged: Map<number, Acknowledged>,
): Promise<void> {
  let count = 0;
  const onAcknowledged = () => {
    count += 1;
    if (count === killAfter) server.kill('SIGKILL');
  };
  const clients = Array.from(
    { length: clientCount },
    (_, index) => new CreatingClient(`${name} client ${String(index)}`, server.baseUrl, token, onAcknowledged),
  );
  await Promise.all(clients.map((client) => client.run()));
  for (const pet of clients.flatMap((client) => client.acknowledged)) {
    expect(acknowledged.has(pet.id), `The id ${String(pet.id)} was handed out twice.`).to.equal(false);
    acknowledged.set(pet.id, pet);
  }
}
