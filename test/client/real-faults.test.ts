import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { createClient } from '#src/client/create-client.js';
import type { Pet, PetstoreError } from '#src/client/petstore-client.js';
import { freePort } from '../../scripts/machine/free-port.js';
import { errorOf } from '../support/error-of.js';
import { FakeTime } from '../support/fake-clock.js';
import { openBeside } from '../support/fault-injection.js';
import { createUnlimitedKey, ServerProcess } from '../support/servers/server-process.js';
import { useNewService } from '../support/servers/service.js';
import { TruncatingProxy } from '../support/servers/truncating-proxy.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const rex = { name: 'Rex', categoryId: 2n ** 63n - 1n };

describe('the client of a real service during an outage', () => {
  const service = useNewService();

  const clientOf = (time: FakeTime, apiKey = service.token, baseUrl = service.baseUrl) =>
    createClient({ baseUrl, apiKey }, time);
  const enterpriseKey = async (requestsPerMinute: number, requestsPerDay: number) => {
    const limits = { requestsPerMinute, requestsPerDay };
    return (await service.apiKeyService.create({ name: 'small', plan: 'enterprise', limits, expiresAt: undefined }))
      .token;
  };
  /** Advances the clock of the service while the client waits. */
  const sharedTime = () => new FakeTime(0, (seconds) => (service.clock.now += seconds * 1000));
  const stored = async () => {
    const pets: Pet[] = [];
    for await (const pet of clientOf(new FakeTime()).pets()) pets.push(pet);
    return pets;
  };

  it('creates one pet per call although the first responses are lost', async () => {
    const { port } = service.server.address() as AddressInfo;
    const cutter = await TruncatingProxy.before(port);
    cutter.cutsLeft = 4;
    const time = new FakeTime();
    const client = clientOf(time, service.token, `http://127.0.0.1:${String(cutter.port)}/v1`);
    const first = await client.createPet(rex);
    const second = await client.createPet(rex);
    cutter.close();
    expect(cutter.cutsLeft).to.equal(0);
    expect(time.waits).to.have.lengthOf(4);
    expect(await stored()).to.deep.equal([first, second]);
  });

  it('waits for the end of the minute, and then succeeds', async () => {
    const time = sharedTime();
    const client = clientOf(time, await enterpriseKey(2, 1000));
    for (let count = 0; count < 5; count += 1) await client.createPet(rex);
    expect(time.waits).to.deep.equal([60, 60]);
    expect(await stored()).to.have.lengthOf(5);
  });

  it('does not wait for the end of the day, and reports how long it is', async () => {
    const time = sharedTime();
    const client = clientOf(time, await enterpriseKey(2, 3));
    const failure = await errorOf(
      (async () => {
        for (let count = 0; count < 5; count += 1) await client.createPet(rex);
      })(),
    );
    expect(failure).to.include({ code: 'daily_quota_exceeded', status: 429, retryAfterSeconds: 86_340 });
    expect(time.waits).to.deep.equal([60]);
  });

  it('does not wait for the end of a ban', async () => {
    const token = await enterpriseKey(1, 1000);
    const headers = { authorization: `Bearer ${token}` };
    for (let minute = 0; minute < 3; minute += 1) {
      for (let count = 0; count < 12; count += 1) await fetch(`${service.baseUrl}/pets`, { headers });
      service.clock.now += 60_000;
    }
    const failure = await errorOf(clientOf(sharedTime(), token).listPets());
    expect(failure).to.include({ code: 'api_key_banned', status: 429 });
    expect((failure as PetstoreError).retryAfterSeconds).to.be.within(700, 900);
  });

  it('retries while the store is unavailable, and while a creation with the same key is in progress', async () => {
    const lock = openBeside(service);
    lock.exec('BEGIN IMMEDIATE');
    const time = new FakeTime(0, () => lock.close());
    expect(await clientOf(time).createPet(rex)).to.deep.equal({ ...rex, id: 1, status: 'available' });
    expect(time.waits).to.deep.equal([1]);

    const again = openBeside(service);
    again.exec('BEGIN IMMEDIATE');
    const responses: Promise<Pet>[] = [];
    // The second request gets a Retry-After, and waits until the first one is complete.
    const times = [1, 0].map(
      (other) =>
        new FakeTime(0, () => {
          again.close();
          return responses[other];
        }),
    );
    for (const each of times) responses.push(clientOf(each).createPet(rex, { idempotencyKey: 'one' }));
    expect((await Promise.all(responses)).map(({ id }) => id)).to.deep.equal([2, 2]);
    expect(times.flatMap(({ waits }) => waits)).to.deep.equal([1]);
    expect(await stored()).to.have.lengthOf(2);
  });
});

describe('the client of a server that is killed and restarted', () => {
  it('creates every pet once, across kills at any time', async () => {
    const directory = temporaryDirectory();
    const env = { DATA_DIR: directory, PORT: String(await freePort()) };
    let server = await ServerProcess.start(env);
    const { baseUrl } = server;
    const apiKey = await createUnlimitedKey(directory);
    let restarted: Promise<unknown> = Promise.resolve();
    // Clients wait until the server has been restarted.
    const client = createClient({ baseUrl, apiKey }, new FakeTime(0.5, () => restarted));
    const restart = async () => {
      await server.ended;
      server = await ServerProcess.start(env);
    };
    const added: Pet[] = [];
    const add = async (name: string) => {
      for (let categoryId = 1; categoryId <= 60; categoryId += 1) {
        added.push(await client.createPet({ name, categoryId }));
        if (added.length === 50 || added.length === 150) {
          server.kill('SIGKILL');
          restarted = restart();
        }
      }
    };
    await Promise.all(['Rex', 'Mia', 'Tom', 'Kim'].map(add));
    const listed: Pet[] = [];
    for await (const pet of client.pets({ limit: 100 })) listed.push(pet);
    expect(listed).to.deep.equal(added.sort((one, other) => one.id - other.id));
    expect(listed).to.have.lengthOf(240);
    expect(await server.stop()).to.deep.equal({ code: 0, signal: null });
  });
});
