import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { petstoreJson } from '../support/cli/command-line.js';
import { OutageClient } from '../support/clients/outage-client.js';
import { fillDisk, freeDisk, mountSmallDisk, unmount } from '../support/mounts.js';
import { createUnlimitedKey, ServerProcess } from '../support/servers/server-process.js';
import { readStoredPets } from '../support/sqlite/stored-pets.js';

/** Maximum time until the service has recovered from a full disk, in milliseconds. */
const recoveryMs = 5000;

describe('a start on a full disk', function () {
  this.timeout(30_000);
  let directory: string;
  let server: ServerProcess;
  let token: string;
  beforeEach(async function () {
    directory = mountSmallDisk(this, 3 * 2 ** 20);
    server = await ServerProcess.start({ DATA_DIR: directory });
    token = await createUnlimitedKey(directory);
  });
  afterEach(async () => {
    server.kill('SIGKILL');
    await server.ended;
    unmount(directory);
  });

  /** Restarts the server, and returns the client with the pets that were acknowledged before. */
  async function restart(client: OutageClient): Promise<OutageClient> {
    freeDisk(directory);
    fillDisk(directory);
    server = await ServerProcess.start({ DATA_DIR: directory });
    return client.at(server.baseUrl);
  }

  /** Resolves once commands work beside the server. */
  async function commandsWork(): Promise<void> {
    const startedAt = performance.now();
    while (performance.now() - startedAt < recoveryMs) {
      const isDone = await petstoreJson(['keys', 'create', '--name', 'beside', '--plan', 'free'], { directory }).then(
        () => true,
        () => false,
      );
      if (isDone) return;
      await delay(100);
    }
    expect.fail('No command works beside the server.');
  }

  async function usedThisMinute(): Promise<number | undefined> {
    const usages = await petstoreJson<{ name: string; usedThisMinute: number }[]>(['keys', 'usage'], { directory });
    return usages.find(({ name }) => name === 'test')?.usedThisMinute;
  }

  for (const [how, end] of [
    ['it was stopped', () => server.stop()],
    ['it was killed', () => (server.kill('SIGKILL'), server.ended)],
  ] as const) {
    it(`after ${how}: serves reads, counts requests, returns 503 for creations, and recovers`, async () => {
      let client = new OutageClient(server.baseUrl, token);
      await client.createMany(50);
      const remaining = Number((await client.list()).headers.get('x-ratelimit-remaining'));
      await end();
      client = await restart(client);
      const listed = await client.list();
      expect([listed.status, listed.body]).to.deep.equal([200, [...client.acknowledged.values()]]);
      expect(Number(listed.headers.get('x-ratelimit-remaining'))).to.equal(remaining - 1);
      await client.createUntilRejected();
      await client.createUntilRejected();
      expect((await client.list()).status).to.equal(200);
      const ready = await fetch(new URL('/readyz', server.baseUrl));
      expect(ready.status).to.equal(200);

      freeDisk(directory);
      await client.createUntilAcknowledged();
      await commandsWork();
      await server.waitForLog(/petstore\.db is available again/);
      expect(await server.stop()).to.deep.equal({ code: 0, signal: null });
      const stored = readStoredPets(directory);
      for (const pet of client.acknowledged.values()) expect(stored.get(pet.id)).to.deep.equal(pet);
      expect(await usedThisMinute()).to.be.above(50);
    });
  }

  it('without counters: counts in memory, and in a file when there is space', async () => {
    await server.stop();
    rmSync(join(directory, 'limits.ndjson'));
    const client = await restart(new OutageClient(server.baseUrl, token));
    const remaining = Number((await client.list()).headers.get('x-ratelimit-remaining'));
    expect(Number((await client.list()).headers.get('x-ratelimit-remaining'))).to.equal(remaining - 1);
    freeDisk(directory);
    await client.createUntilAcknowledged();
    await server.waitForLog(/limits\.ndjson is available again/);
    expect(existsSync(join(directory, 'limits.ndjson'))).to.equal(true);
    expect(await usedThisMinute()).to.be.above(2);
  });

  it('fails while another server uses the directory, which is named; that server exits with 0 on SIGTERM', async () => {
    fillDisk(directory);
    const other = new ServerProcess({ DATA_DIR: directory });
    expect(await other.ended).to.deep.equal({ code: 1, signal: null });
    expect(other.stderr).to.contain(`another petstore server (process ${String(server.pid)}) uses ${directory}`);
    await server.stop();
    const client = await restart(new OutageClient('', token));
    const third = new ServerProcess({ DATA_DIR: directory });
    expect(await third.ended).to.deep.equal({ code: 1, signal: null });
    expect(third.stderr).to.contain(`another petstore server (process ${String(server.pid)}) uses ${directory}`);
    await client.createUntilRejected();
    expect(await server.stop()).to.deep.equal({ code: 0, signal: null });
  });

  it('into an empty directory fails with one clear message', async () => {
    await server.stop();
    for (const name of ['petstore.db', 'limits.ndjson', 'server.lock']) rmSync(join(directory, name));
    fillDisk(directory);
    const rejected = new ServerProcess({ DATA_DIR: directory });
    expect(await rejected.ended).to.deep.equal({ code: 1, signal: null });
    expect(rejected.stderr).to.equal(
      `error: the database ${directory}/petstore.db cannot be created: the disk is full; free disk space, and start again\n`,
    );
    freeDisk(directory);
    server = await ServerProcess.start({ DATA_DIR: directory });
    await server.waitForStderr(/curl .+\n/);
  });
});
