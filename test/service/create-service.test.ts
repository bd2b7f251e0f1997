import { expect } from 'chai';
import { KeyRedactor } from '#src/api-keys/key-redactor.js';
import { readConfig } from '#src/config.js';
import { StoreEvent } from '#src/lib/errors.js';
import { contractUrl, readContract } from '#src/openapi/load-contract.js';
import { createService } from '#src/service/create-service.js';
import { openStores } from '#src/service/open-stores.js';
import { request } from '../support/clients/request.js';
import { changedContract } from '../support/contract/changed-contract.js';
import { errorOf } from '../support/error-of.js';
import { corruptDatabase } from '../support/fault-injection.js';
import { readMetrics } from '../support/metrics.js';
import { describeWithRedis, eventually, RedisServer } from '../support/redis/redis-server.js';
import { startService } from '../support/servers/service.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

describe('createService', () => {
  it('reports an outage once, and no internal error, when the service closes', async () => {
    const service = await startService();
    await request(service).get('/v1/pets').expect(200);
    corruptDatabase(service);
    await service.close();
    expect(service.reported).to.have.lengthOf(1);
    expect(service.reported[0]).to.be.instanceOf(StoreEvent);
  });
});

describeWithRedis('createService with REDIS_URL', () => {
  it('counts the quotas of keys only in Redis, and reports when Redis is unavailable', async () => {
    const redis = await RedisServer.start();
    const service = await startService({ REDIS_URL: redis.url, METRICS_PORT: '0' });
    const degraded = async () => (await readMetrics(service.metricsUrl)).get('petstore_quotas_degraded');
    const first = await request(service).get('/v1/pets').expect(200);
    const second = await request(service).options('/v1/pets').expect(204);
    const remaining = (headers: unknown) => Number((headers as Record<string, string>)['x-ratelimit-remaining']);
    expect(remaining(second.headers)).to.equal(remaining(first.headers) - 1);
    await request(service, null).get('/v1/pets').expect(401);
    const keys = (await redis.call<string[]>('KEYS', '*')).filter((key) => !key.endsWith(':probe'));
    expect(keys.map((key) => /quota/.exec(key)?.[0])).to.deep.equal(['quota']);
    expect(await degraded()).to.equal(0);
    await redis.kill();
    await eventually('the service is degraded', async () => (await degraded()) === 1, 1000);
    await request(service).get('/v1/pets').expect(200);
    expect(service.reported).to.have.length(1);
  });

  it('closes its stores and Redis connections when it fails, so that the next start can open them', async () => {
    const original = await readContract(contractUrl);
    const redis = await RedisServer.start();
    const config = readConfig({ DATA_DIR: temporaryDirectory(), REDIS_URL: redis.url }, original.document);
    const document = changedContract(['paths', '/pets/{petId}']);
    const contract = { ...original, document };
    const others = { redactor: new KeyRedactor(original.document), clock: Date.now, report: () => undefined };
    const error = await errorOf(createService(config, { contract, ...others }));
    expect(String(error)).to.equal('TypeError: The contract has no operation getPet.');
    const clients = await redis.call<string>('CLIENT', 'LIST');
    expect(clients.trim().split('\n'), 'only the connection of the test').to.have.length(1);
    await (await openStores(config, 'server', { contract, ...others })).close();
  });
});
