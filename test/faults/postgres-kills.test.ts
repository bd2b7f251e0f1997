import { randomInt } from 'node:crypto';
import { describePostgres, sharedPostgres } from '@contract-server/test-support/postgres/postgres.js';
import { temporaryDirectory } from '@contract-server/test-support/temporary-directory.js';
import { expect } from 'chai';
import { fetchListedPets } from '../support/clients/pet-client.js';
import { RetryingClients } from '../support/clients/retrying-clients.js';
import { createUnlimitedKey, ServerProcess } from '../support/servers/server-process.js';

/** Of each kind. */
const rounds = 10;
const roundsMax = 50;
const clientsPerNode = 4;

describePostgres('kill -9 during creations on two nodes and PostgreSQL', () => {
  it(`loses and duplicates no acknowledged pet in ${String(rounds)} or more kills of a node and of PostgreSQL`, async function () {
    this.timeout(rounds * 40_000);
    const postgres = await sharedPostgres();
    const url = await postgres.createDatabase();
    const env = { DATA_DIR: temporaryDirectory(), DATABASE_URL: url };
    const nodes = [await ServerProcess.start(env), await ServerProcess.start(env)];
    const token = await createUnlimitedKey(temporaryDirectory(), url);
    const addresses = Array.from({ length: nodes.length * clientsPerNode }, (_, index) => () => {
      return nodes[index % nodes.length]?.baseUrl ?? '';
    });
    const clients = new RetryingClients('client', token, addresses);

    // Continues until a kill falls between a commit and its response.
    for (let round = 0; round < rounds || (clients.replays === 0 && round < roundsMax); round += 1) {
      await clients.more(randomInt(1, 400));
      await nodes[round % nodes.length]?.crash();
      nodes[round % nodes.length] = await ServerProcess.start(env);
      await clients.more(randomInt(1, 400));
      await postgres.crash();
      await postgres.start();
    }
    await clients.more(100);
    const acknowledged = await clients.stop();
    for (const node of nodes) {
      expect(await fetchListedPets(node.baseUrl, token)).to.deep.equal(acknowledged);
      await node.stop();
    }
    expect(clients.replays).to.be.above(0);
    expect(clients.apiErrors).to.be.above(0);
  });
});
