import type { AddressInfo } from 'node:net';
import { errorOf } from '@contract-server/test-support/error-of.js';
import { FakeTime } from '@contract-server/test-support/fake-clock.js';
import { openBeside } from '@contract-server/test-support/fault-injection.js';
import { issueKey } from '@contract-server/test-support/issue-key.js';
import { rule } from '@contract-server/test-support/rate-limits/quota.js';
import { TcpProxy } from '@contract-server/test-support/servers/tcp-proxy.js';
import { expect } from 'chai';
import { createClient } from '#src/client/create-client.js';
import { useNewService } from '../support/servers/service.js';

const rex = { name: 'Rex', categoryId: 2n ** 63n - 1n };

describe('the client of a real service during an outage', () => {
  const service = useNewService();

  const clientOf = (time: FakeTime, apiKey = service.token, baseUrl = service.baseUrl) =>
    createClient({ baseUrl, apiKey }, time);
  /** Advances the clock of the service while the client waits. */
  const sharedTime = () => new FakeTime(0, (seconds) => (service.clock.now += seconds * 1000));
  const stored = async () => (await clientOf(new FakeTime()).listPets()).pets;

  it('creates one pet per call although the first responses are lost', async () => {
    const { port } = service.server.address() as AddressInfo;
    const cutter = await TcpProxy.before(port);
    cutter.lossesLeft = 4;
    const time = new FakeTime();
    const client = clientOf(time, service.token, `http://127.0.0.1:${String(cutter.port)}/v1`);
    const first = await client.createPet(rex);
    const second = await client.createPet(rex);
    expect(cutter.lossesLeft).to.equal(0);
    expect(time.waits).to.have.lengthOf(4);
    expect(await stored()).to.deep.equal([first, second]);
  });

  it('waits for the end of the minute, but not for that of the day or of a ban, and reports how long these are', async () => {
    const { token } = await issueKey(service, [2, 5]);
    const time = sharedTime();
    const client = clientOf(time, token);
    for (let count = 0; count < 5; count += 1) await client.createPet(rex);
    expect(time.waits).to.deep.equal([60, 60]);
    expect(await stored()).to.have.lengthOf(5);
    const exhausted = { code: 'daily_quota_exceeded', status: 429, retryAfterSeconds: 86_280 };
    expect(await errorOf(client.createPet(rex))).to.include(exhausted);

    service.clock.now += 86_400_000;
    for (let count = 0; count < 3; count += 1) await client.listPets();
    const headers = { authorization: `Bearer ${token}` };
    for (let count = 0; count < 2 * rule.rejectedRequestsFactor + 3; count += 1)
      await fetch(`${service.baseUrl}/pets`, { headers });
    const banned = { code: 'api_key_banned', status: 429, retryAfterSeconds: rule.seconds };
    expect(await errorOf(client.listPets())).to.include(banned);
    expect(time.waits).to.deep.equal([60, 60, 60]);
  });

  it('retries while the store is unavailable', async () => {
    const lock = openBeside(service);
    lock.exec('BEGIN IMMEDIATE');
    const time = new FakeTime(0, () => lock.close());
    expect(await clientOf(time).createPet(rex)).to.deep.equal({ ...rex, id: 1, status: 'available' });
    expect(time.waits).to.deep.equal([1]);
  });
});
