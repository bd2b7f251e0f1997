import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { type Ending, SlowClients } from '../support/clients/slow-clients.js';
import { usageOf } from '../support/cost/process-usage.js';
import { createUnlimitedKey, ServerProcess } from '../support/servers/server-process.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

/** The timeouts of the service, in milliseconds. */
const goodResponseMs = 1000;
const headersMs = 30_000;
const bodyMs = 60_000;
const deafMs = 60_000;

const slowest = (endings: readonly Ending[]) => Math.max(...endings.map(({ afterMs }) => afterMs));
const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

describe('750 slow clients', () => {
  it('are closed in time; other requests get a response within a second; memory stays flat', async function () {
    this.timeout(150_000);
    const directory = temporaryDirectory();
    const server = await ServerProcess.start({ DATA_DIR: directory, MAX_CONNECTIONS_PER_ADDRESS: '0' });
    const token = await createUnlimitedKey(directory);
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    for (let created = 0; created < 100; created += 1) {
      const body = JSON.stringify({ name: 'x'.repeat(255), categoryId: created });
      await fetch(`${server.baseUrl}/pets`, { method: 'POST', headers, body });
    }
    const before = usageOf(server.pid);
    const clients = new SlowClients(server.baseUrl, token, 1000);
    const attack = { isOver: false };
    const all = Promise.all([
      clients.attack(500, 'headers'),
      clients.attack(200, 'body'),
      clients.attack(50, 'silent'),
      clients.attack(10, 'stopped'),
      clients.attack(1, 'deaf'),
    ]).finally(() => (attack.isOver = true));

    const times: number[] = [];
    const resident: number[] = [];
    while (!attack.isOver) {
      const startedAt = performance.now();
      const { status } = await fetch(`${server.baseUrl}/pets?limit=5`, { headers });
      expect(status).to.equal(200);
      times.push(performance.now() - startedAt);
      resident.push(usageOf(server.pid).residentMegabytes);
      await delay(50);
    }
    const [inHeaders, inBody, silent, stopped, deaf] = await all;
    console.log(
      `      slowest successful response of ${String(times.length)}: ${Math.max(...times).toFixed(0)} ms; closed at the latest after: ` +
        `headers ${seconds(slowest(inHeaders))}, body ${seconds(slowest(inBody))}, silent ${seconds(slowest(silent))}, ` +
        `deaf ${seconds(slowest(deaf))}; memory ${String(before.residentMegabytes)} MB before, at most ` +
        `${String(Math.max(...resident))} MB`,
    );
    expect(Math.max(...times)).to.be.below(goodResponseMs);
    expect(slowest([...inHeaders, ...silent])).to.be.below(headersMs);
    expect(slowest(inBody)).to.be.below(bodyMs);
    expect(slowest(deaf)).to.be.below(deafMs);
    expect(slowest(stopped)).to.be.below(headersMs);
    expect([...inHeaders, ...inBody, ...stopped].filter(({ status }) => status !== 408)).to.deep.equal([]);
    expect(Math.max(...resident)).to.be.below(before.residentMegabytes + 100);
    expect(await server.stop()).to.deep.equal({ code: 0, signal: null });
  });
});
