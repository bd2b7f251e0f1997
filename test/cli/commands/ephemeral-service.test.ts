import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { createEphemeralService } from '#src/cli/commands/ephemeral-service.js';
import { mockKey } from '#src/cli/commands/mock.js';
import { readConfig } from '#src/config.js';
import { contractUrl, readContract } from '#src/openapi/load-contract.js';
import { openStores } from '#src/service/open-stores.js';
import { errorOf } from '../../support/error-of.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const contract = await readContract(contractUrl);

describe('createEphemeralService', () => {
  const { TMPDIR } = process.env;
  afterEach(() => {
    if (TMPDIR === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = TMPDIR;
  });

  it('closes the service if the key cannot be stored', async () => {
    const parent = join(temporaryDirectory(), 'parent');
    mkdirSync(parent);
    process.env['TMPDIR'] = parent;
    const signals = { once: () => undefined, exit: () => undefined };
    // SQLite stores NaN as NULL, which the table does not accept.
    const dependencies = { contract, clock: () => NaN, report: () => undefined };
    const options = { env: { PORT: '0' }, key: mockKey, plan: undefined, signals };
    expect(await errorOf(createEphemeralService(options, dependencies))).to.match(/NOT NULL/);
    const [directory = ''] = readdirSync(parent);
    const config = readConfig({ DATA_DIR: join(parent, directory) }, contract.document);
    await (await openStores(config, 'server')).close();
  });
});
