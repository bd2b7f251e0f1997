import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { petstoreJson } from '../support/cli/command-line.js';
import { OutageClient } from '../support/clients/outage-client.js';
import { createUnlimitedKey, ServerProcess } from '../support/servers/server-process.js';
import { readStoredPets } from '../support/sqlite/stored-pets.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

describe('a server whose database file is moved, deleted or replaced', function () {
  this.timeout(30_000);
  let directory: string;
  let file: string;
  let server: ServerProcess;
  let other: ServerProcess | undefined;
  let client: OutageClient;
  beforeEach(async () => {
    directory = join(temporaryDirectory(), 'data');
    file = join(directory, 'petstore.db');
    server = await ServerProcess.start({ DATA_DIR: directory });
    client = new OutageClient(server.baseUrl, await createUnlimitedKey(directory));
    await client.createMany(50);
  });
  afterEach(() => {
    for (const started of [server, other]) started?.kill('SIGKILL');
    other = undefined;
  });

  /** Without a request, the server detects within a second that its file is gone; then it rejects every request. */
  async function expectRejected(): Promise<void> {
    await server.waitForLog(/petstore\.db has been unavailable since \S+: it was moved, deleted or replaced; /);
    await client.createUntilRejected();
    expect((await client.list()).status).to.equal(503);
    expect((await fetch(new URL('/readyz', server.baseUrl))).status).to.equal(503);
    expect((await fetch(new URL('/healthz', server.baseUrl))).status).to.equal(200);
  }

  async function restart(): Promise<void> {
    await server.stop();
    server = await ServerProcess.start({ DATA_DIR: directory });
    client.at(server.baseUrl);
  }

  /** Stops the server, and requires every acknowledged pet in the database of a directory. */
  async function expectNothingLost(at = directory): Promise<void> {
    expect(await server.stop()).to.deep.equal({ code: 0, signal: null });
    const stored = readStoredPets(at);
    for (const pet of client.acknowledged.values()) expect(stored.get(pet.id)).to.deep.equal(pet);
  }

  for (const [what, path] of [
    ['directory', () => directory],
    ['file', () => file],
  ] as const) {
    it(`returns 503 while the ${what} is moved, recovers when it is put back, and loses nothing`, async () => {
      renameSync(path(), `${path()}.away`);
      await expectRejected();
      renameSync(`${path()}.away`, path());
      await client.createUntilAcknowledged();
      await server.waitForLog(/petstore\.db is available again/);
      await expectNothingLost();
    });
  }

  it('returns 503 until a restart when the log of the file is deleted, and loses nothing', async () => {
    rmSync(`${file}-wal`);
    await expectRejected();
    await restart();
    await client.createMany(1);
    await expectNothingLost();
  });

  it('creates no empty database in place of a deleted one, and serves a backup after a restart', async () => {
    const backup = join(temporaryDirectory(), 'backup.db');
    await petstoreJson(['backup', backup], { directory });
    rmSync(directory, { recursive: true });
    await expectRejected();
    expect(() => readStoredPets(directory)).to.throw(/unable to open|directory does not exist/);
    mkdirSync(directory, { recursive: true });
    renameSync(backup, file);
    await restart();
    expect((await client.list()).body).to.have.lengthOf(50);
  });

  it('does not touch the files of another server that has replaced its own', async () => {
    renameSync(directory, `${directory}.away`);
    mkdirSync(directory);
    other = await ServerProcess.start({ DATA_DIR: directory });
    const otherClient = new OutageClient(other.baseUrl, await createUnlimitedKey(directory));
    await otherClient.createMany(50);
    await expectRejected();
    await expectNothingLost(`${directory}.away`);
    await otherClient.createMany(50);
    other.kill('SIGKILL');
    await other.ended;
    const stored = readStoredPets(directory);
    for (const pet of otherClient.acknowledged.values()) expect(stored.get(pet.id)).to.deep.equal(pet);
  });
});
