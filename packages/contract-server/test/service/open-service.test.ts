import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { contractOf } from '@contract-server/core/contract/contract.js';
import { StoreEvent } from '@contract-server/core/lib/errors.js';
import { changedContract } from '@contract-server/test-support/contract/changed-contract.js';
import { toysContract as contract } from '@contract-server/test-support/contract/toys-contract.js';
import { errorOf } from '@contract-server/test-support/error-of.js';
import { corruptDatabase, forgetKeys, openBeside } from '@contract-server/test-support/fault-injection.js';
import { readMetrics } from '@contract-server/test-support/metrics.js';
import { describeWithRedis, eventually, RedisServer } from '@contract-server/test-support/redis/redis-server.js';
import { request } from '@contract-server/test-support/servers/toys.js';
import { startService, useNewService } from '@contract-server/test-support/servers/toys-service.js';
import { temporaryDirectory } from '@contract-server/test-support/temporary-directory.js';
import { service as toys } from '@contract-server/test-support/toys/toys-service.js';
import { expect } from 'chai';
import { readConfig } from '#src/config.js';
import { KeyRedactor } from '#src/log/key-redactor.js';
import { settingsOwner } from '#src/service/definition.js';
import { openService } from '#src/service/open-service.js';
import { openStores } from '#src/service/open-stores.js';

const { definition } = toys;

const createToy = (service: Parameters<typeof request>[0]) =>
  request(service).post('/v1/toys').send({ name: 'Block', weight: 100 }).expect(201);

describe('createService', () => {
  it('reports an outage once, and no internal error, when the service closes', async () => {
    const service = await startService();
    await request(service).get('/v1/toys').expect(200);
    corruptDatabase(service);
    await service.close();
    expect(service.reported).to.have.lengthOf(1);
    expect(service.reported[0]).to.be.instanceOf(StoreEvent);
  });
});

describe('the monitoring of a service', () => {
  const service = useNewService({ METRICS_PORT: '0' });

  const read = () => readMetrics(service.metricsUrl);
  /** The values that are not 0 of the metrics whose names begin so. */
  const counts = (values: ReadonlyMap<string, number>, family: string) =>
    Object.fromEntries([...values].filter(([name, value]) => name.startsWith(`toys_${family}`) && value !== 0));

  it('reports an unavailable store and its recovery, which are logged once', async () => {
    const ready = (status: number) => request(service, null).get('/readyz').expect(status);
    await createToy(service);
    const file = join(service.directory, 'toys.db');
    const beside = openBeside(service);
    beside.pragma('wal_checkpoint(TRUNCATE)');
    const whole = readFileSync(file);
    corruptDatabase(service);
    for (let time = 0; time < 3; time += 1) await ready(503);
    await request(service, null).get('/healthz').expect(200);
    writeFileSync(file, whole);
    // The service reads the file again once it has changed.
    beside.exec("UPDATE toys SET name = 'Ball'");
    beside.close();
    for (let time = 0; time < 3; time += 1) await ready(200);
    await service.log.first(1, ({ msg }) => msg === 'ready again');
    const lines = service.log.lines.filter(({ msg }) => /ready/.test(String(msg)));
    expect(lines.map(({ msg }) => msg)).to.deep.equal(['not ready', 'ready again']);
    for (const { level } of lines) expect(level).to.equal('warn');
    expect(JSON.stringify(lines[0])).to.contain('SQLITE_CORRUPT');
  });

  it('counts and times store operations, including failed ones, and measures group commits', async () => {
    await Promise.all(Array.from({ length: 10 }, () => createToy(service)));
    await request(service).get('/v1/toys').expect(200);
    const values = await read();
    for (const [store, operation, count] of [
      ['toys', 'insert', 10],
      ['toys', 'list', 1],
      ['keys', 'findByHash', 1],
    ] as const) {
      const name = `toys_store_operation_duration_seconds_count{store="${store}",operation="${operation}"}`;
      expect(values.get(name), name).to.equal(count);
    }
    expect([...values.keys()].join(), 'quotas in memory').not.to.contain('store="quotas"');
    expect(values.get('toys_group_commit_size_sum')).to.equal(10);
    expect(counts(values, 'store_errors_total')).to.deep.equal({});
    corruptDatabase(service);
    await request(service).get('/v1/toys').expect(503);
    forgetKeys(service);
    await request(service).get('/v1/toys').expect(503);
    expect(counts(await read(), 'store_errors_total')).to.deep.equal({
      'toys_store_errors_total{store="toys",operation="list"}': 1,
      'toys_store_errors_total{store="keys",operation="findByHash"}': 1,
    });
  });
});

describeWithRedis('createService with REDIS_URL', () => {
  it('counts the quotas of keys only in Redis, and reports when Redis is unavailable', async () => {
    const redis = await RedisServer.start();
    const service = await startService({ REDIS_URL: redis.url, METRICS_PORT: '0' });
    const degraded = async () => (await readMetrics(service.metricsUrl)).get('toys_quotas_degraded');
    const first = await request(service).get('/v1/toys').expect(200);
    const second = await request(service).options('/v1/toys').expect(204);
    const remaining = (headers: unknown) => Number((headers as Record<string, string>)['x-ratelimit-remaining']);
    expect(remaining(second.headers)).to.equal(remaining(first.headers) - 1);
    await request(service, null).get('/v1/toys').expect(401);
    const keys = (await redis.call<string[]>('KEYS', '*')).filter((key) => !key.endsWith(':probe'));
    expect(keys.map((key) => /quota/.exec(key)?.[0])).to.deep.equal(['quota']);
    expect(await degraded()).to.equal(0);
    await redis.kill();
    await eventually('the service is degraded', async () => (await degraded()) === 1, 1000);
    await request(service).get('/v1/toys').expect(200);
    expect(service.reported).to.have.length(1);
  });

  it('closes its stores and Redis connections when it fails, so that the next start can open them', async () => {
    const redis = await RedisServer.start();
    const env = { DATA_DIR: temporaryDirectory(), REDIS_URL: redis.url };
    const config = readConfig(settingsOwner(definition), env, contract.document);
    const document = changedContract(['paths', '/toys/{toyId}'], undefined, contract.document);
    const changed = { ...contractOf(document), bytes: contract.bytes };
    const others = {
      redactor: new KeyRedactor(Object.values(contract.keyPrefixes)),
      clock: Date.now,
      report: () => undefined,
    };
    const error = await errorOf(openService(definition, config, { contract: changed, ...others }));
    expect(String(error)).to.equal('StartError: `handlers` has `getToy`, which is no operation.');
    const clients = await redis.call<string>('CLIENT', 'LIST');
    expect(clients.trim().split('\n'), 'only the connection of the test').to.have.length(1);
    await (await openStores(config, 'server', { definition, contract, ...others })).close();
  });
});
