import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { residentMebibytesOf } from '../../scripts/machine/process-usage.js';
import { PetClient } from '../support/clients/pet-client.js';
import { type Ending, SlowClients } from '../support/clients/slow-clients.js';
import { createUnlimitedKey, ServerProcess } from '../support/servers/server-process.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

/** The timeouts of the service, in milliseconds. */
const goodResponseMs = 1000;
const headersMs = 30_000;
const bodyMs = 60_000;
const deafMs = 60_000;

const slowest = (endings: readonly Ending[]) => Math.max(...endings.map(({ afterMs }) => afterMs));

describe('750 slow clients', () => {
  it('are closed in time; other requests get a response within a second; memory stays flat', async function () {
    this.timeout(150_000);
    const directory = temporaryDirectory();
    const server = await ServerProcess.start({ DATA_DIR: directory, MAX_CONNECTIONS_PER_ADDRESS: '0' });
    const token = await createUnlimitedKey(directory);
    const client = new PetClient(server.baseUrl, token, 'x'.repeat(250));
    await client.createMany(100);
    const before = residentMebibytesOf(server.pid);
    const clients = new SlowClients(server.baseUrl, token, 1000);
    const attack = { isOver: false };
    const all = Promise.all([
      clients.attack(500, 'headers'),
      clients.attack(200, 'body'),
      clients.attack(50, 'silent'),
      clients.attack(10, 'stopped'),
      clients.attack(1, 'deaf'),
    ]).finally(() => (attack.isOver = true));
    let slowestMs = 0;
    let residentMax = 0;
    while (!attack.isOver) {
      await delay(50);
      const { status, ms } = await client.get('/pets?limit=5');
      expect(status).to.equal(200);
      slowestMs = Math.max(slowestMs, ms);
      residentMax = Math.max(residentMax, residentMebibytesOf(server.pid));
    }
    const [inHeaders, inBody, silent, stopped, deaf] = await all;
    expect(slowestMs).to.be.below(goodResponseMs);
    expect(slowest([...inHeaders, ...silent])).to.be.below(headersMs);
    expect(slowest(inBody)).to.be.below(bodyMs);
    expect(slowest(deaf)).to.be.below(deafMs);
    expect(slowest(stopped)).to.be.below(headersMs);
    expect([...inHeaders, ...inBody, ...stopped].filter(({ status }) => status !== 408)).to.deep.equal([]);
    expect(residentMax).to.be.below(before + 100);
    await server.stop();
  });
});
