import { randomInt } from 'node:crypto';
import { expect } from 'chai';
import { fetchListedPets } from '../support/clients/pet-client.js';
import { RetryingClients } from '../support/clients/retrying-clients.js';
import { ServerProcess, startWithKey } from '../support/servers/server-process.js';
import { readStoredPets } from '../support/sqlite/stored-pets.js';

const rounds = process.env['PETSTORE_TEST_FAULTS'] === undefined ? 1 : 20;
const roundsMax = rounds > 1 ? 200 : 1;
const clientCount = 8;

describe('kill -9 during creations with an Idempotency-Key', () => {
  it(`loses no acknowledged pet and stores none twice, in ${String(rounds)} or more kills`, async function () {
    this.timeout(rounds * 30_000);
    const { directory, token, ...started } = await startWithKey();
    let { server } = started;
    const addresses = Array.from({ length: clientCount }, () => () => server.baseUrl);
    const clients = new RetryingClients('client', token, addresses);
    // Continues until a kill falls between a commit and its response, which is a short time on a fast disk.
    for (let round = 0; round < rounds || (clients.replays === 0 && round < roundsMax); round += 1) {
      await clients.more(randomInt(1, 600));
      await server.crash();
      server = await ServerProcess.start({ DATA_DIR: directory });
    }
    const acknowledged = await clients.stop();
    expect(await fetchListedPets(server.baseUrl, token)).to.deep.equal(acknowledged);
    if (rounds > 1) expect(clients.replays).to.be.above(0);
    expect(clients.apiErrors).to.equal(0);
    await server.stop();
    expect([...readStoredPets(directory).values()]).to.deep.equal(acknowledged);
  });
});
