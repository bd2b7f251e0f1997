import { randomInt } from 'node:crypto';
import { expect } from 'chai';
import { BusyClient } from '../support/clients/busy-client.js';
import { Count } from '../support/clients/count.js';
import { fetchListedPets } from '../support/clients/listed-pets.js';
import { RetryingClient, Whereabouts } from '../support/clients/retrying-client.js';
import { describePostgres } from '../support/postgres/postgres.js';
import { describeWithRedis } from '../support/redis/redis-server.js';
import { Fleet } from '../support/servers/fleet.js';
import { describeWithNginx } from '../support/servers/nginx.js';

const rounds = 5;
const kills = 10;
/** Few, so that nodes can start on a busy machine. */
const clientCount = 8;
const stopped = { code: 0, signal: null };

const namesFor = (purpose: string) => Array.from({ length: clientCount }, (_, index) => `${purpose}-${String(index)}`);

/** The listed pets whose names have a prefix. */
async function listedFor(purpose: string, baseUrl: string, token: string) {
  return (await fetchListedPets(baseUrl, token)).filter(({ name }) => name.startsWith(purpose));
}

/** The pets that clients have created, in order of id; each name once. */
function acknowledgedBy(clients: readonly Pick<BusyClient, 'acknowledged'>[]) {
  const pets = clients.flatMap(({ acknowledged }) => acknowledged).sort((one, other) => one.id - other.id);
  expect(new Set(pets.map(({ name }) => name)).size).to.equal(pets.length);
  return pets;
}

describePostgres('three nodes on PostgreSQL', () => {
  describeWithRedis('and Redis', () => {
    describeWithNginx('behind nginx', () => {
      let fleet: Fleet;
      let token: string;

      before(async function () {
        this.timeout(60_000);
        fleet = await Fleet.start();
        token = await fleet.createUnlimitedKey();
      });

      after(async () => {
        expect(await fleet.stop()).to.deep.equal([stopped, stopped, stopped]);
      });

      it('allow exactly 60 of 500 requests of a Free key', async function () {
        this.timeout(60_000);
        const headers = { authorization: `Bearer ${await fleet.createKey('free')}` };
        const responses: number[] = [];
        const sendRequest = async () => {
          for (let count = 0; count < 25; count += 1) {
            const response = await fetch(`${fleet.baseUrl}/pets`, { headers });
            await response.arrayBuffer();
            responses.push(response.status);
          }
        };
        await Promise.all(Array.from({ length: 20 }, sendRequest));
        expect(responses.filter((status) => status === 200)).to.have.lengthOf(60);
        expect(responses.filter((status) => status === 429)).to.have.lengthOf(440);
        const shares = fleet.nodes.map(({ server }) => server.lines.filter(({ msg }) => msg === 'request').length);
        expect(Math.min(...shares)).to.be.above(50);
      });

      it(`fail no request during ${String(rounds)} rolling restarts`, async function () {
        this.timeout(rounds * 60_000);
        const clients = namesFor('roll').map((name) => new BusyClient(name, fleet.baseUrl, token));
        const running = Promise.all(clients.map((client) => client.run()));
        for (let round = 0; round < rounds; round += 1) {
          for (const node of fleet.nodes) {
            expect(await node.server.stop()).to.deep.equal(stopped);
            await node.rejoin();
          }
        }
        for (const client of clients) client.stop();
        await running;
        expect(clients.flatMap(({ failures }) => failures)).to.deep.equal([]);
        const acknowledged = acknowledgedBy(clients);
        expect(acknowledged).to.have.lengthOf.above(10);
        expect(await listedFor('roll', fleet.baseUrl, token)).to.deep.equal(acknowledged);
      });

      it(`lose no acknowledged pet and create no duplicates, with ${String(kills)} times kill -9`, async function () {
        this.timeout(kills * 30_000);
        const count = new Count();
        const balancer = new Whereabouts();
        balancer.find(fleet.baseUrl);
        const clients = namesFor('kill').map((name) => new RetryingClient(name, balancer, token, count.add));
        const running = Promise.all(clients.map((client) => client.run()));
        for (let kill = 0; kill < kills; kill += 1) {
          await Promise.race([count.more(randomInt(1, 400)), running]);
          const node = fleet.nodes[kill % fleet.nodes.length];
          await node?.kill();
          await node?.rejoin();
        }
        await Promise.race([count.more(50), running]);
        for (const client of clients) client.stop();
        await running;
        const acknowledged = acknowledgedBy(clients);
        for (const { baseUrl } of fleet.nodes)
          expect(await listedFor('kill', baseUrl, token)).to.deep.equal(acknowledged);
        // The load balancer retries on another node at once, so that no client receives an error.
        expect(clients.reduce((sum, { apiErrors }) => sum + apiErrors, 0)).to.equal(0);
      });
    });
  });
});
