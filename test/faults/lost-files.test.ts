import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '@contract-server/test-support/temporary-directory.js';
import { expect } from 'chai';
import { petstoreJson } from '../support/cli/command-line.js';
import { EmbeddedServer } from '../support/servers/embedded-server.js';
import { expectStored, readStoredPets } from '../support/sqlite/stored-pets.js';

const operations = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8');
const restoreSteps = /^To restore[^]*?^```sh\n([^]*?)^```$/m.exec(operations)?.[1] ?? '';

describe('a server whose database file is moved, deleted or replaced', function () {
  this.timeout(30_000);
  let directory: string;
  let file: string;
  let server: EmbeddedServer;
  let backup: string;
  beforeEach(async () => {
    directory = join(temporaryDirectory(), 'data');
    file = join(directory, 'petstore.db');
    backup = join(temporaryDirectory(), 'backup.db');
    server = await EmbeddedServer.start(directory);
  });

  const listedCount = async () => (JSON.parse((await server.client.list()).text) as unknown[]).length;

  /** Without a request, the server detects within a second that its file is gone; then it rejects every request. */
  async function expectRejected(): Promise<void> {
    const { process, client } = server;
    await process.waitForLog(/petstore\.db has been unavailable since \S+: it was moved, deleted or replaced; /);
    await client.createUntilRejected();
    expect((await client.list()).status).to.equal(503);
    expect((await fetch(new URL('/readyz', process.baseUrl))).status).to.equal(503);
    expect((await fetch(new URL('/healthz', process.baseUrl))).status).to.equal(200);
  }

  for (const what of ['directory', 'file'] as const)
    it(`returns 503 while the ${what} is moved, recovers when it is put back, and loses nothing`, async () => {
      const path = what === 'file' ? file : directory;
      renameSync(path, `${path}.away`);
      await expectRejected();
      renameSync(`${path}.away`, path);
      await server.client.createUntilAcknowledged();
      await server.process.waitForLog(/petstore\.db is available again/);
      await server.expectNothingLost();
    });

  it('returns 503 until a restart when the log of the file is deleted, and loses nothing', async () => {
    rmSync(`${file}-wal`);
    await expectRejected();
    await server.process.stop();
    await server.restart();
    await server.client.createMany(1);
    await server.expectNothingLost();
  });

  it('creates no empty database in place of a deleted one, and serves a backup after a restart', async () => {
    await petstoreJson(['backup', backup], { directory });
    rmSync(directory, { recursive: true });
    await expectRejected();
    expect(() => readStoredPets(directory)).to.throw(/unable to open|directory does not exist/);
    mkdirSync(directory, { recursive: true });
    renameSync(backup, file);
    await server.process.stop();
    await server.restart();
    expect(await listedCount()).to.equal(50);
  });

  it('does not touch the files of another server that has replaced its own', async () => {
    renameSync(directory, `${directory}.away`);
    mkdirSync(directory);
    const other = await EmbeddedServer.start(directory);
    await expectRejected();
    await server.expectNothingLost(`${directory}.away`);
    await other.client.createMany(50);
    await other.process.crash();
    expectStored(directory, other.client.acknowledged);
  });

  for (const end of ['stop', 'crash'] as const)
    it(`serves a backup that was restored with the documented steps after a ${end}, and keeps the replaced files`, async () => {
      expect(await petstoreJson(['backup', backup], { directory })).to.include({ pets: 50 });
      await server.client.createMany(20);
      await server.process[end]();
      const script = restoreSteps.replaceAll('/var/lib/petstore', directory).replaceAll('/backups/petstore.db', backup);
      execFileSync('bash', ['-e', '-c', script]);
      await server.restart();
      expect(await listedCount()).to.equal(50);
      await server.client.createMany(1);
      await server.process.stop();
      const before = readdirSync(directory).filter((name) => name.startsWith('before-'));
      const counts = ['.', ...before].map((name) => readStoredPets(join(directory, name)).size);
      expect(counts).to.deep.equal([51, 70]);
    });
});
