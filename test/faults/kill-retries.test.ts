import { randomInt } from 'node:crypto';
import { expect } from 'chai';
import { Count } from '../support/clients/count.js';
import { fetchListedPets } from '../support/clients/listed-pets.js';
import { RetryingClient, Whereabouts } from '../support/clients/retrying-client.js';
import { createUnlimitedKey, ServerProcess } from '../support/servers/server-process.js';
import { readStoredPets } from '../support/sqlite/stored-pets.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const rounds = 20;
const clientCount = 8;

describe('kill -9 during creations under an Idempotency-Key', () => {
  it(`gives retrying clients exactly the stored pets after ${String(rounds)} kills`, async function () {
    this.timeout(rounds * 12_000);
    const directory = temporaryDirectory();
    let server = await ServerProcess.start({ DATA_DIR: directory });
    const token = await createUnlimitedKey(directory);
    const whereabouts = new Whereabouts();
    const count = new Count();
    const clients = Array.from(
      { length: clientCount },
      (_, index) => new RetryingClient(`client-${String(index)}`, whereabouts, token, count.add),
    );
    const running = Promise.all(clients.map((client) => client.run()));
    whereabouts.find(server.baseUrl);

    for (let round = 1; round <= rounds; round += 1) {
      await Promise.race([count.more(randomInt(1, 600)), running]);
      whereabouts.lose();
      server.kill('SIGKILL');
      expect(await server.ended).to.deep.equal({ code: null, signal: 'SIGKILL' });
      server = await ServerProcess.start({ DATA_DIR: directory });
      whereabouts.find(server.baseUrl);
    }
    for (const client of clients) client.stop();
    await running;

    const acknowledged = clients.flatMap((client) => client.acknowledged).sort((one, other) => one.id - other.id);
    expect(await fetchListedPets(server.baseUrl, token)).to.deep.equal(acknowledged);
    expect(new Set(acknowledged.map(({ name }) => name)).size).to.equal(acknowledged.length);
    // At least one of the kills must have been between a commit and its response.
    const replays = clients.reduce((sum, client) => sum + client.replays, 0);
    expect(replays).to.be.above(0);
    expect(clients.every(({ apiErrors }) => apiErrors === 0)).to.equal(true);
    expect(await server.stop()).to.deep.equal({ code: 0, signal: null });
    expect([...readStoredPets(directory).values()]).to.deep.equal(acknowledged);
  });
});
