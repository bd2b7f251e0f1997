import { expect } from 'chai';
import { compose, openStores } from '#src/compose.js';
import { readConfig } from '#src/config.js';
import { contractUrl, readContract } from '#src/contract/document.js';
import { StorageNotice } from '#src/domain/storage-notice.js';
import { changedContract } from './support/changed-contract.js';
import { damageDatabase } from './support/damage.js';
import { request } from './support/request.js';
import { startOfTests, startService } from './support/service.js';
import { temporaryDirectory } from './support/temporary-directory.js';

const contract = await readContract(contractUrl);

describe('compose', () => {
  it('closes its stores when it fails, so that the next start finds the directory free', async () => {
    const config = readConfig({ DATA_DIR: temporaryDirectory() }, contract.document);
    const document = changedContract(['x-rate-limit-address-plan'], 'enterprise');
    const surroundings = { contract: { ...contract, document }, clock: () => startOfTests, report: () => undefined };
    const error = await compose(config, surroundings).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).to.be.instanceOf(TypeError).with.property('message', 'x-rate-limit-address-plan names a plan without numbers.');
    await (await openStores(config, 'server')).close();
  });

  it('tells of a storage in trouble once, and of no defect, when the service stops', async () => {
    const service = await startService();
    await request(service).get('/v1/pets').expect(200);
    damageDatabase(service);
    await service.close();
    expect(service.reported).to.have.lengthOf(1);
    expect(service.reported[0]).to.be.instanceOf(StorageNotice);
  });
});
