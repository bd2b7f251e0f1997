import { expect } from 'chai';
import { readConfig } from '#src/config.js';
import { contractUrl, readContract } from '#src/openapi/load-contract.js';
import { Instrumentation } from '#src/service/instrumentation.js';

const contract = await readContract(contractUrl);

describe('Instrumentation', () => {
  it('wraps neither the application nor a store unless metrics or OpenTelemetry are enabled', async () => {
    const instrumentation = await Instrumentation.create(readConfig({}, contract.document), { contract });
    const store = { find: () => Promise.resolve() };
    expect(instrumentation.wrapStore('pets', store)).to.equal(store);
    expect(instrumentation.wrapApp).to.equal(undefined);
  });
});
