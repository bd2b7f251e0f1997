import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { request } from '../support/clients/request.js';
import { corruptDatabase, forgetKeys, openBeside } from '../support/fault-injection.js';
import { readMetrics } from '../support/metrics.js';
import { createPet } from '../support/pets.js';
import { useNewService } from '../support/servers/service.js';

describe('the monitoring of a service', () => {
  const service = useNewService({ METRICS_PORT: '0' });

  const read = () => readMetrics(service.metricsUrl);
  /** The values that are not 0 of the metrics whose names begin so. */
  const counts = (values: ReadonlyMap<string, number>, family: string) =>
    Object.fromEntries([...values].filter(([name, value]) => name.startsWith(`petstore_${family}`) && value !== 0));

  it('reports an unavailable store and its recovery, which are logged once', async () => {
    const ready = (status: number) => request(service, null).get('/readyz').expect(status);
    await createPet(service);
    const file = join(service.directory, 'petstore.db');
    const beside = openBeside(service);
    beside.pragma('wal_checkpoint(TRUNCATE)');
    const whole = readFileSync(file);
    corruptDatabase(service);
    for (let time = 0; time < 3; time += 1) await ready(503);
    await request(service, null).get('/healthz').expect(200);
    writeFileSync(file, whole);
    // The service reads the file again once it has changed.
    beside.exec("UPDATE pets SET name = 'Max'");
    beside.close();
    for (let time = 0; time < 3; time += 1) await ready(200);
    await service.log.first(1, ({ msg }) => msg === 'ready again');
    const lines = service.log.lines.filter(({ msg }) => /ready/.test(String(msg)));
    expect(lines.map(({ msg }) => msg)).to.deep.equal(['not ready', 'ready again']);
    for (const { level } of lines) expect(level).to.equal('warn');
    expect(JSON.stringify(lines[0])).to.contain('SQLITE_CORRUPT');
  });

  it('counts and times store operations, including failed ones, and measures group commits', async () => {
    await Promise.all(Array.from({ length: 10 }, () => createPet(service)));
    await request(service).get('/v1/pets').expect(200);
    const values = await read();
    for (const [store, operation, count] of [
      ['pets', 'insert', 10],
      ['pets', 'list', 1],
      ['keys', 'findByHash', 1],
    ] as const) {
      const name = `petstore_store_operation_duration_seconds_count{store="${store}",operation="${operation}"}`;
      expect(values.get(name), name).to.equal(count);
    }
    expect([...values.keys()].join(), 'quotas in memory').not.to.contain('store="quotas"');
    expect(values.get('petstore_group_commit_size_sum')).to.equal(10);
    expect(counts(values, 'store_errors_total')).to.deep.equal({});
    corruptDatabase(service);
    await request(service).get('/v1/pets').expect(503);
    forgetKeys(service);
    await request(service).get('/v1/pets').expect(503);
    expect(counts(await read(), 'store_errors_total')).to.deep.equal({
      'petstore_store_errors_total{store="pets",operation="list"}': 1,
      'petstore_store_errors_total{store="keys",operation="findByHash"}': 1,
    });
  });
});
