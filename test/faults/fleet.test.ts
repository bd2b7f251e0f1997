import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { Agent } from 'node:http';
import { describePostgres } from '@contract-server/test-support/postgres/postgres.js';
import { describeWithRedis } from '@contract-server/test-support/redis/redis-server.js';
import { expect } from 'chai';
import { type Acknowledged, fetchListedPets, PetClient } from '../support/clients/pet-client.js';
import { RetryingClients } from '../support/clients/retrying-clients.js';
import { send } from '../support/clients/send.js';
import { Fleet } from '../support/servers/fleet.js';
import { describeWithNginx } from '../support/servers/nginx.js';

const rounds = 5;
const kills = 10;
/** Few, so that nodes can start on a busy machine. */
const clientCount = 8;

describePostgres('three nodes on PostgreSQL', () => {
  describeWithRedis('and Redis', () => {
    describeWithNginx('behind nginx', () => {
      let fleet: Fleet;
      let token: string;

      beforeEach(async function () {
        this.timeout(60_000);
        fleet = await Fleet.start();
        token = await fleet.createKey('--plan', 'enterprise', '--per-minute', '1000000000', '--per-day', '1000000000');
      });

      afterEach(async () => {
        await Promise.all(fleet.nodes.map(({ server }) => server.stop()));
        for (const { server } of fleet.nodes) expect(server.stderr).to.not.contain('Warning');
        expect(existsSync(fleet.dataDirectory)).to.equal(false);
      });

      /** The listed pets whose names have a prefix. */
      const listedFor = async (prefix: string, baseUrl: string) =>
        (await fetchListedPets(baseUrl, token)).filter(({ name }) => name.startsWith(prefix));

      it('allow exactly 60 of 500 requests of a Free key', async function () {
        this.timeout(60_000);
        const key = await fleet.createKey('--plan', 'free');
        const agent = new Agent({ keepAlive: true, maxSockets: 20 });
        const listPets = () => send(`${fleet.baseUrl}/pets`, key, { agent });
        const responses = await Promise.all(Array.from({ length: 500 }, listPets));
        expect(responses.filter(({ status }) => status === 200)).to.have.lengthOf(60);
        expect(responses.filter(({ status }) => status === 429)).to.have.lengthOf(440);
        const shares = fleet.nodes.map(({ server }) => server.lines.filter(({ msg }) => msg === 'request').length);
        expect(Math.min(...shares)).to.be.above(50);
      });

      it(`fail no request during ${String(rounds)} rolling restarts`, async function () {
        this.timeout(rounds * 60_000);
        const acknowledged: Acknowledged[] = [];
        let isOver = false;
        const use = async (index: number) => {
          const agent = new Agent({ keepAlive: true, maxSockets: 1 });
          const client = new PetClient(fleet.baseUrl, token, `roll-${String(index)}`, { agent });
          while (!isOver) {
            expect((await client.createOnce()).status).to.equal(201);
            expect((await client.get(`/pets/${String(client.acknowledged.at(-1)?.id)}`)).status).to.equal(200);
            expect((await client.get('/pets?limit=20&status=sold')).status).to.equal(200);
          }
          acknowledged.push(...client.acknowledged);
        };
        const running = Promise.all(Array.from({ length: clientCount }, (_, index) => use(index)));
        const restart = async () => {
          for (let round = 0; round < rounds; round += 1) {
            for (const node of fleet.nodes) {
              await node.server.stop();
              await node.rejoin();
            }
          }
          isOver = true;
        };
        await Promise.all([restart(), running]);
        expect(acknowledged).to.have.lengthOf.above(10);
        acknowledged.sort((one, other) => one.id - other.id);
        expect(await listedFor('roll', fleet.baseUrl)).to.deep.equal(acknowledged);
      });

      it(`lose no acknowledged pet and create no duplicates, with ${String(kills)} times kill -9`, async function () {
        this.timeout(kills * 30_000);
        const addresses = Array.from({ length: clientCount }, () => () => fleet.baseUrl);
        const clients = new RetryingClients('kill', token, addresses);
        for (let kill = 0; kill < kills; kill += 1) {
          await clients.more(randomInt(1, 400));
          const node = fleet.nodes[kill % fleet.nodes.length];
          await node?.server.crash();
          await node?.rejoin();
        }
        await clients.more(50);
        const acknowledged = await clients.stop();
        for (const { baseUrl } of fleet.nodes) expect(await listedFor('kill', baseUrl)).to.deep.equal(acknowledged);
        // The load balancer retries on another node at once, so that no client receives an error.
        expect(clients.apiErrors).to.equal(0);
      });
    });
  });
});
