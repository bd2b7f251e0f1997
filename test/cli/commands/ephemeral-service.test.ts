import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { KeyRedactor } from '#src/api-keys/key-redactor.js';
import { createEphemeralService, mockKeyOf } from '#src/cli/commands/mock.js';
import { readConfig } from '#src/config.js';
import { requireAddressPlan } from '#src/http/address-limit.js';
import { contractUrl, readContract } from '#src/openapi/load-contract.js';
import type { PlanName } from '#src/openapi/types.js';
import { openStores } from '#src/service/open-stores.js';
import { errorOf } from '../../support/error-of.js';
import { startOfTests } from '../../support/servers/service.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

const contract = await readContract(contractUrl);

const redactor = new KeyRedactor(contract.document);
const key = mockKeyOf(contract.document);
const signals = { once: () => undefined, exit: () => undefined };

/** The statuses of more requests without a key than the contract allows an address in a minute. */
async function statusesWithoutKey(plan: PlanName | undefined): Promise<Set<number>> {
  const dependencies = { contract, redactor, clock: () => startOfTests, report: () => undefined };
  const service = await createEphemeralService({ env: {}, overrides: { port: 0 }, key, plan, signals }, dependencies);
  const { baseUrl } = await service.listen();
  const { requestsPerMinute } = requireAddressPlan(contract.document);
  const statuses = new Set<number>();
  for (let sent = 0; sent <= requestsPerMinute; sent += 1) {
    const response = await fetch(`${baseUrl}/pets`);
    statuses.add(response.status);
    await response.arrayBuffer();
  }
  service.server.closeAllConnections();
  await service.close();
  return statuses;
}

describe('createEphemeralService', () => {
  const { TMPDIR } = process.env;
  afterEach(() => {
    if (TMPDIR === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = TMPDIR;
  });

  it('limits requests without a key only with a plan', async () => {
    expect([...(await statusesWithoutKey(undefined))]).to.deep.equal([401]);
    expect([...(await statusesWithoutKey('free'))]).to.deep.equal([401, 429]);
  });

  it('closes the service if the key cannot be stored', async () => {
    const parent = join(temporaryDirectory(), 'parent');
    mkdirSync(parent);
    process.env['TMPDIR'] = parent;
    // SQLite stores NaN as NULL, which the table does not accept.
    const dependencies = { contract, redactor, clock: () => NaN, report: () => undefined };
    const options = { env: {}, overrides: { port: 0 }, key, plan: undefined, signals };
    expect(await errorOf(createEphemeralService(options, dependencies))).to.match(/NOT NULL/);
    const [directory = ''] = readdirSync(parent);
    const config = readConfig({ DATA_DIR: join(parent, directory) }, contract.document);
    await (await openStores(config, 'server', { ...dependencies, clock: Date.now })).close();
  });
});
