import { fork } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { petstoreJson } from '../support/cli/command-line.js';
import { OutageClient } from '../support/clients/outage-client.js';
import { corruptDatabase } from '../support/fault-injection.js';
import { ErringDisk, fillDisk, freeDisk, mountSmallDisk, unmount } from '../support/mounts.js';
import { createUnlimitedKey, ServerProcess } from '../support/servers/server-process.js';
import { readStoredPets } from '../support/sqlite/stored-pets.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const lockHolder = fileURLToPath(new URL('../support/sqlite/hold-lock-process.js', import.meta.url));

describe('a server during an outage of its disk', function () {
  this.timeout(30_000);
  let directory: string;
  let server: ServerProcess;
  let client: OutageClient;

  async function start(dataDirectory: string): Promise<void> {
    directory = dataDirectory;
    server = await ServerProcess.start({ DATA_DIR: directory });
    client = new OutageClient(server.baseUrl, await createUnlimitedKey(directory));
    await client.createMany(50);
  }

  async function restart(): Promise<void> {
    server = await ServerProcess.start({ DATA_DIR: directory });
    client.at(server.baseUrl);
  }

  /** Waits until the recovery is logged, and compares the logged outages with these patterns. */
  async function expectReported(...expected: RegExp[]): Promise<void> {
    await server.waitForLog(/petstore\.db is available again/);
    const reported = server.outages;
    const unexpected = reported.filter((text) => !expected.some((pattern) => pattern.test(text)));
    expect(unexpected, reported.join('\n')).to.deep.equal([]);
    expect(reported, reported.join('\n')).to.have.lengthOf(expected.length);
  }

  /** Stops the server, and requires every acknowledged pet in the database. */
  async function expectNothingLost(): Promise<void> {
    expect(await server.stop()).to.deep.equal({ code: 0, signal: null });
    const stored = readStoredPets(directory);
    for (const pet of client.acknowledged.values()) expect(stored.get(pet.id)).to.deep.equal(pet);
  }

  afterEach(() => server.kill('SIGKILL'));

  it('rejects creations while the disk is full, serves reads, counts requests, and recovers', async function () {
    await start(mountSmallDisk(this, 3 * 2 ** 20));
    fillDisk(directory);
    await client.createUntilRejected();
    const before = Number((await client.list()).headers.get('x-ratelimit-remaining'));
    for (let round = 0; round < 20; round += 1) {
      await client.createUntilRejected();
      expect((await client.list()).status).to.equal(200);
    }
    expect(Number((await client.list()).headers.get('x-ratelimit-remaining'))).to.be.at.most(before - 41);
    freeDisk(directory);
    await client.createUntilAcknowledged();
    const full = 'database or disk is full \\(SQLITE_FULL\\)';
    await expectReported(
      new RegExp(`^petstore\\.db has been unavailable since [^ ]+Z: ${full}\\.$`),
      new RegExp(`^petstore\\.db is available again\\. It had been unavailable since [^ ]+Z, for \\d+ s: ${full}\\.$`),
    );
    const after = Number((await client.list()).headers.get('x-ratelimit-remaining'));
    // The counters are saved every second.
    await delay(1500);
    const [usage] = await petstoreJson<{ name: string; requestsPerMinute: number; usedThisMinute: number }[]>(
      ['keys', 'usage'],
      {
        directory,
      },
    ).then((views) => views.filter(({ name }) => name === 'test'));
    expect(usage?.usedThisMinute).to.equal(Number(usage?.requestsPerMinute) - after);
    await expectNothingLost();
    unmount(directory);
  });

  it('rejects creations while files are read-only, serves reads, and starts with a copy elsewhere', async function () {
    const disk = new ErringDisk(this);
    await start(disk.directory);
    disk.fail();
    await client.createUntilRejected();
    for (let round = 0; round < 20; round += 1) {
      await client.createUntilRejected();
      expect((await client.list()).status).to.equal(200);
    }
    await server.stop();
    const copy = temporaryDirectory();
    for (const name of ['petstore.db', 'petstore.db-wal']) copyFileSync(join(directory, name), join(copy, name));
    unmount(directory);
    mountSmallDisk(this, 16 * 2 ** 20, directory);
    for (const name of readdirSync(copy)) copyFileSync(join(copy, name), join(directory, name));
    await restart();
    await client.createUntilAcknowledged();
    await expectNothingLost();
    unmount(directory);
  });

  it('rejects creations within a second while another process holds the lock, or the file is damaged', async () => {
    await start(temporaryDirectory());
    const holder = fork(lockHolder, [join(directory, 'petstore.db')]);
    await once(holder, 'message');
    const rounds = Array.from({ length: 20 }, async (_, index) => {
      await new Promise((resolve) => setTimeout(resolve, 50 * index));
      await client.createUntilRejected();
      expect((await client.list()).status).to.equal(200);
    });
    await Promise.all(rounds);
    holder.send('release');
    await client.createUntilAcknowledged();
    const lockOutages = [
      /^petstore\.db has been unavailable .*: database is locked \(SQLITE_BUSY\)\.$/,
      /^petstore\.db is available again\./,
    ];
    await expectReported(...lockOutages);

    const backup = join(temporaryDirectory(), 'backup.db');
    await petstoreJson(['backup', backup], { directory });
    corruptDatabase({ directory });
    expect((await client.list()).status).to.equal(503);
    await client.createUntilRejected();
    const corruptionOutage =
      /^petstore\.db has been unavailable .*: database disk image is malformed \(SQLITE_CORRUPT\)\.$/;
    await expectReported(...lockOutages, corruptionOutage);
    await server.stop();
    renameSync(backup, join(directory, 'petstore.db'));
    for (const suffix of ['-wal', '-shm']) rmSync(join(directory, `petstore.db${suffix}`), { force: true });
    await restart();
    await client.createUntilAcknowledged();
    await expectNothingLost();
  });
});
