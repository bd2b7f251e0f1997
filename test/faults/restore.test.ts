import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { petstoreJson } from '../support/cli/command-line.js';
import { OutageClient } from '../support/clients/outage-client.js';
import { createUnlimitedKey, ServerProcess } from '../support/servers/server-process.js';
import { readStoredPets } from '../support/sqlite/stored-pets.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const operations = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8');
const steps = /^To restore[^]*?^```sh\n([^]*?)^```$/m.exec(operations)?.[1] ?? '';

describe('the documented steps to restore a backup', () => {
  let directory: string;
  let backup: string;
  let server: ServerProcess;
  let token: string;
  beforeEach(async () => {
    directory = temporaryDirectory();
    backup = join(temporaryDirectory(), 'backup.db');
    server = await ServerProcess.start({ DATA_DIR: directory });
    token = await createUnlimitedKey(directory);
    const client = new OutageClient(server.baseUrl, token);
    await client.createMany(20);
    expect(await petstoreJson(['backup', backup], { directory })).to.include({ pets: 20 });
    await client.createMany(20);
  });
  afterEach(() => server.kill('SIGKILL'));

  for (const [how, signal] of [
    ['stopped', 'SIGTERM'],
    ['killed', 'SIGKILL'],
  ] as const) {
    it(`restore it after the server was ${how}, and keep the replaced files`, async () => {
      server.kill(signal);
      await server.ended;
      const script = steps.replaceAll('/var/lib/petstore', directory).replaceAll('/backups/petstore.db', backup);
      execFileSync('bash', ['-e', '-c', script]);
      server = await ServerProcess.start({ DATA_DIR: directory });
      const client = new OutageClient(server.baseUrl, token);
      expect((await client.list()).body).to.have.lengthOf(20);
      await client.createMany(1);
      expect(await server.stop()).to.deep.equal({ code: 0, signal: null });
      expect(readStoredPets(directory).size).to.equal(21);
      expect(readStoredPets(join(directory, 'before')).size).to.equal(40);
    });
  }
});
