import { copyFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { corruptDatabase, whileLocked } from '@contract-server/test-support/fault-injection.js';
import { ErringDisk, fillDisk, freeDisk, mountSmallDisk, unmount } from '@contract-server/test-support/mounts.js';
import { temporaryDirectory } from '@contract-server/test-support/temporary-directory.js';
import { expect } from 'chai';
import { petstoreJson } from '../support/cli/command-line.js';
import { EmbeddedServer } from '../support/servers/embedded-server.js';
import { ServerProcess } from '../support/servers/server-process.js';

const smallDiskBytes = 3 * 2 ** 20;

/** Creations are rejected, and reads are served. */
async function expectReadOnly({ client }: EmbeddedServer): Promise<void> {
  for (let round = 0; round < 20; round += 1) {
    await client.createUntilRejected();
    expect((await client.list()).status).to.equal(200);
  }
}

/** Waits until the recovery is logged, and compares the logged outages with these patterns. */
async function expectReported({ process }: EmbeddedServer, ...expected: RegExp[]): Promise<void> {
  await process.waitForLog(/petstore\.db is available again/);
  const { outages } = process;
  expect(outages, outages.join('\n')).to.have.lengthOf(expected.length);
  for (const [index, pattern] of expected.entries()) expect(outages[index]).to.match(pattern);
}

describe('a server during an outage of its disk', function () {
  this.timeout(30_000);

  it('rejects creations while the disk is full, serves reads, counts requests, and recovers', async function () {
    const directory = mountSmallDisk(this, smallDiskBytes);
    const server = await EmbeddedServer.start(directory);
    const { client } = server;
    const remaining = async () => Number((await client.list()).headers['x-ratelimit-remaining']);
    fillDisk(directory);
    await client.createUntilRejected();
    const before = await remaining();
    await expectReadOnly(server);
    expect(await remaining()).to.be.at.most(before - 41);
    freeDisk(directory);
    await client.createUntilAcknowledged();
    const full = 'database or disk is full \\(SQLITE_FULL\\)';
    await expectReported(
      server,
      new RegExp(`^petstore\\.db has been unavailable since [^ ]+Z: ${full}\\.$`),
      new RegExp(`^petstore\\.db is available again\\. It had been unavailable since [^ ]+Z, for \\d+ s: ${full}\\.$`),
    );
    const after = await remaining();
    // The counters are saved every second.
    await delay(1500);
    const usages = await petstoreJson<{ name: string; requestsPerMinute: number; usedThisMinute: number }[]>(
      ['keys', 'usage'],
      { directory },
    );
    const usage = usages.find(({ name }) => name === 'key');
    expect(usage?.usedThisMinute).to.equal(Number(usage?.requestsPerMinute) - after);
    await server.expectNothingLost();
    unmount(directory);
  });

  it('rejects creations while files are read-only, serves reads, and starts with a copy elsewhere', async function () {
    const disk = new ErringDisk(this);
    const server = await EmbeddedServer.start(disk.directory);
    disk.fail();
    await expectReadOnly(server);
    await server.process.stop();
    const copy = temporaryDirectory();
    for (const name of ['petstore.db', 'petstore.db-wal']) copyFileSync(join(disk.directory, name), join(copy, name));
    unmount(disk.directory);
    mountSmallDisk(this, 16 * 2 ** 20, disk.directory);
    for (const name of readdirSync(copy)) copyFileSync(join(copy, name), join(disk.directory, name));
    await server.restart();
    await server.client.createUntilAcknowledged();
    await server.expectNothingLost();
    unmount(disk.directory);
  });

  it('rejects creations within a second while another process holds the lock, or the file is damaged', async () => {
    const directory = temporaryDirectory();
    const server = await EmbeddedServer.start(directory);
    const { client } = server;
    const requests = Array.from({ length: 20 }, async (_, index) => {
      await delay(50 * index);
      await client.createUntilRejected();
      expect((await client.list()).status).to.equal(200);
    });
    await whileLocked(server, () => Promise.all(requests));
    await client.createUntilAcknowledged();
    const lockOutages = [
      /^petstore\.db has been unavailable .*: database is locked \(SQLITE_BUSY\)\.$/,
      /^petstore\.db is available again\./,
    ];
    await expectReported(server, ...lockOutages);

    const backup = join(temporaryDirectory(), 'backup.db');
    await petstoreJson(['backup', backup], { directory });
    corruptDatabase(server);
    expect((await client.list()).status).to.equal(503);
    await client.createUntilRejected();
    const damage = /^petstore\.db has been unavailable .*: database disk image is malformed \(SQLITE_CORRUPT\)\.$/;
    await expectReported(server, ...lockOutages, damage);
    await server.process.stop();
    renameSync(backup, join(directory, 'petstore.db'));
    for (const suffix of ['-wal', '-shm']) rmSync(join(directory, `petstore.db${suffix}`), { force: true });
    await server.restart();
    await client.createUntilAcknowledged();
    await server.expectNothingLost();
  });
});

describe('a start on a full disk', function () {
  this.timeout(30_000);
  for (const hasDatabase of [true, false])
    it(`${hasDatabase ? 'with a' : 'without a'} database fails with one clear message, and works when there is space`, async function () {
      const directory = mountSmallDisk(this, smallDiskBytes);
      const server = await EmbeddedServer.start(directory);
      await server.process.stop();
      if (!hasDatabase) rmSync(join(directory, 'petstore.db'));
      fillDisk(directory);
      const failing = new ServerProcess({ DATA_DIR: directory });
      expect(await failing.ended).to.deep.equal({ code: 1, signal: null });
      expect(failing.stderr).to.match(/^error: .*: the disk is full; .*\n$/);
      freeDisk(directory);
      await server.restart();
      if (hasDatabase) await server.expectNothingLost();
      else await server.process.stop();
      unmount(directory);
    });
});
