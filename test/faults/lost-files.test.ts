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

  /** The service rejects every request that needs the store, and keeps running. */
  async function expectRejected(): Promise<void> {
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

  async function expectNothingLost(): Promise<void> {
    await client.createMany(1);
    expect(await server.stop()).to.deep.equal({ code: 0, signal: null });
    const stored = readStoredPets(directory);
    for (const pet of client.acknowledged.values()) expect(stored.get(pet.id)).to.deep.equal(pet);
  }

  const mistakes: readonly (readonly [what: string, make: () => void, undo: () => void])[] = [
    [
      'the directory is moved',
      () => renameSync(directory, `${directory}.away`),
      () => renameSync(`${directory}.away`, directory),
    ],
    ['the file is moved', () => renameSync(file, `${file}.away`), () => renameSync(`${file}.away`, file)],
    [
      'the file is moved and its log is deleted',
      () => {
        renameSync(file, `${file}.away`);
        rmSync(`${file}-wal`);
      },
      () => renameSync(`${file}.away`, file),
    ],
    ['its log is deleted', () => rmSync(`${file}-wal`), () => undefined],
  ];
  for (const [what, make, undo] of mistakes) {
    it(`returns 503 until it is restarted when ${what}, logs that once, and loses nothing`, async () => {
      make();
      await expectRejected();
      undo();
      await expectRejected();
      const reported = server.outages.filter((text) => text.startsWith('petstore.db'));
      expect(reported).to.have.lengthOf(1);
      expect(reported[0]).to.match(
        /^petstore\.db has been unavailable since \S+: it was moved, deleted or replaced; stop .*, and start the server\.$/,
      );
      await restart();
      await expectNothingLost();
    });
  }

  it('detects that without any request, and creates no empty database in its place', async () => {
    rmSync(file);
    await server.waitForLog(/petstore\.db has been unavailable/);
    await expectRejected();
    expect(() => readStoredPets(directory)).to.throw('unable to open database file');
  });

  it('continues to count in memory when its counters are deleted', async () => {
    rmSync(join(directory, 'limits.ndjson'));
    await server.waitForLog(/limits\.ndjson has been unavailable since \S+: it was moved, .* restart the server\./);
    const remaining = Number((await client.list()).headers.get('x-ratelimit-remaining'));
    expect(Number((await client.list()).headers.get('x-ratelimit-remaining'))).to.equal(remaining - 1);
    await restart();
    await expectNothingLost();
  });

  it('does not touch the files of another server that has replaced its own', async () => {
    renameSync(directory, `${directory}.away`);
    mkdirSync(directory);
    other = await ServerProcess.start({ DATA_DIR: directory });
    const otherClient = new OutageClient(other.baseUrl, await createUnlimitedKey(directory));
    await otherClient.createMany(50);
    await expectRejected();
    expect(await server.stop()).to.deep.equal({ code: 0, signal: null });
    await otherClient.createMany(50);
    other.kill('SIGKILL');
    await other.ended;
    const stored = readStoredPets(directory);
    for (const pet of otherClient.acknowledged.values()) expect(stored.get(pet.id)).to.deep.equal(pet);
    const away = readStoredPets(`${directory}.away`);
    for (const pet of client.acknowledged.values()) expect(away.get(pet.id)).to.deep.equal(pet);
  });

  it('serves the backup that is put in its place after a restart', async () => {
    const backup = join(temporaryDirectory(), 'backup.db');
    await petstoreJson(['backup', backup], { directory });
    rmSync(directory, { recursive: true });
    await expectRejected();
    mkdirSync(directory);
    renameSync(backup, file);
    await restart();
    expect((await client.list()).body).to.have.lengthOf(50);
    await expectNothingLost();
  });
});
