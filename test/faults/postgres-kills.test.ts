import { randomInt } from 'node:crypto';
import { expect } from 'chai';
import { Count } from '../support/clients/count.js';
import { fetchListedPets } from '../support/clients/listed-pets.js';
import { RetryingClient, Whereabouts } from '../support/clients/retrying-client.js';
import { describePostgres, sharedPostgres } from '../support/postgres/postgres.js';
import { createUnlimitedKey, ServerProcess } from '../support/servers/server-process.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

/** Of each kind. */
const rounds = 10;
const clientsPerNode = 4;

/** A node that is killed and started again, and the clients that call it. */
class Node {
  readonly whereabouts = new Whereabouts();
  readonly directory = temporaryDirectory();
  server: ServerProcess | undefined;

  constructor(private readonly url: string) {}

  async start(): Promise<void> {
    this.server = await ServerProcess.start({ DATA_DIR: this.directory, DATABASE_URL: this.url });
    this.whereabouts.find(this.server.baseUrl);
  }

  async kill(): Promise<void> {
    this.whereabouts.lose();
    this.server?.kill('SIGKILL');
    expect(await this.server?.ended).to.deep.equal({ code: null, signal: 'SIGKILL' });
  }
}

describePostgres('kill -9 during creations on two nodes and PostgreSQL', () => {
  it(`loses and duplicates no acknowledged pet in ${String(rounds)} kills of a node and of PostgreSQL`, async function () {
    this.timeout(rounds * 40_000);
    const postgres = await sharedPostgres();
    const url = await postgres.createDatabase();
    const nodes = [new Node(url), new Node(url)];
    await Promise.all(nodes.map((node) => node.start()));
    const token = await createUnlimitedKey(temporaryDirectory(), url);
    const count = new Count();
    const clients = nodes.flatMap(({ whereabouts }, node) =>
      Array.from(
        { length: clientsPerNode },
        (_, index) => new RetryingClient(`client-${String(node)}-${String(index)}`, whereabouts, token, count.add),
      ),
    );
    const running = Promise.all(clients.map((client) => client.run()));

    for (let round = 0; round < rounds; round += 1) {
      await Promise.race([count.more(randomInt(1, 400)), running]);
      const node = nodes[round % nodes.length];
      await node?.kill();
      await node?.start();
      await Promise.race([count.more(randomInt(1, 400)), running]);
      await postgres.crash();
      await postgres.start();
    }
    await Promise.race([count.more(100), running]);
    for (const client of clients) client.stop();
    await running;

    const acknowledged = clients.flatMap((client) => client.acknowledged).sort((one, other) => one.id - other.id);
    expect(new Set(acknowledged.map(({ name }) => name)).size).to.equal(acknowledged.length);
    for (const { server } of nodes) {
      expect(await fetchListedPets(server?.baseUrl ?? '', token)).to.deep.equal(acknowledged);
      expect(await server?.stop()).to.deep.equal({ code: 0, signal: null });
    }
    // At least one of the kills must have been between a commit and its response.
    expect(clients.reduce((sum, { replays }) => sum + replays, 0)).to.be.above(0);
    expect(clients.reduce((sum, { apiErrors }) => sum + apiErrors, 0)).to.be.above(0);
  });
});
