import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { petstoreJson } from '../cli/command-line.js';
import { createUnlimitedKey, ServerProcess } from '../support/server-process.js';
import { readStoredPets } from '../support/stored-pets.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { TroubledClient } from '../support/troubled-client.js';

const operations = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8');
const steps = /^To restore[^]*?^```sh\n([^]*?)^```$/m.exec(operations)?.[1] ?? '';

describe('the steps to restore a backup', () => {
  it('work while the server runs, and after it was killed; what was there before is kept whole', async function () {
    this.timeout(30_000);
    const directory = temporaryDirectory();
    const backup = join(temporaryDirectory(), 'backup.db');
    const restore = () => {
      const script = steps.replaceAll('/var/lib/petstore', directory).replaceAll('/backups/petstore.db', backup);
      execFileSync('bash', ['-e', '-c', script]);
    };
    let server = await ServerProcess.start({ DATA_DIR: directory });
    const token = await createUnlimitedKey(directory);
    const client = new TroubledClient(server.baseUrl, token);
    await client.createMany(20);
    expect(await petstoreJson(['backup', backup], { directory })).to.include({ animals: 20 });
    await client.createMany(20);

    restore();
    await client.createUntilAcknowledged();
    expect((await client.list()).body).to.have.lengthOf(21);
    expect(readStoredPets(join(directory, 'before')).size).to.be.at.least(40);
    await client.createMany(200);

    server.kill('SIGKILL');
    await server.ended;
    rmSync(join(directory, 'before'), { recursive: true });
    restore();
    server = await ServerProcess.start({ DATA_DIR: directory });
    const again = new TroubledClient(server.baseUrl, token);
    expect((await again.list()).body).to.have.lengthOf(20);
    await again.createMany(1);
    expect(await server.stop()).to.deep.equal({ code: 0, signal: null });
    expect(readStoredPets(directory).size).to.equal(21);
    expect(readStoredPets(join(directory, 'before')).size).to.be.at.least(221);
  });
});
