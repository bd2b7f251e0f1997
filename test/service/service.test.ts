import { dropTable } from '@contract-server/test-support/fault-injection.js';
import { readMetrics } from '@contract-server/test-support/metrics.js';
import { expect } from 'chai';
import { request } from '../support/clients/request.js';
import { createPet } from '../support/pets.js';
import { useNewService } from '../support/servers/service.js';

describe('the pet store', () => {
  const service = useNewService({ METRICS_PORT: '0' });

  it('measures the operations of its store, and its group commits', async () => {
    await Promise.all(Array.from({ length: 10 }, () => createPet(service)));
    await request(service).get('/v1/pets').expect(200);
    const values = await readMetrics(service.metricsUrl);
    const countOf = (operation: string) =>
      values.get(`petstore_store_operation_duration_seconds_count{store="pets",operation="${operation}"}`);
    expect([countOf('insert'), countOf('list')]).to.deep.equal([10, 1]);
    expect(values.get('petstore_group_commit_size_sum')).to.equal(10);
  });

  it('is not ready if it cannot read its pets', async () => {
    await request(service, null).get('/readyz').expect(200);
    dropTable(service, 'pets');
    await request(service, null).get('/readyz').expect(503);
  });
});
