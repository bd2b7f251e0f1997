import { readdirSync } from 'node:fs';
import { expect } from 'chai';
import { KeyRedactor } from '#src/api-keys/key-redactor.js';
import { readConfig } from '#src/config.js';
import { StoreEvent } from '#src/lib/errors.js';
import { contractUrl, readContract } from '#src/openapi/load-contract.js';
import { createService } from '#src/service/create-service.js';
import { openStores } from '#src/service/open-stores.js';
import { request } from '../support/clients/request.js';
import { changedContract } from '../support/contract/changed-contract.js';
import { corruptDatabase } from '../support/fault-injection.js';
import { readMetrics } from '../support/metrics.js';
import { describeWithRedis, eventually, RedisServer } from '../support/redis/redis-server.js';
import { startOfTests, startService } from '../support/servers/service.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const contract = await readContract(contractUrl);
const redactor = new KeyRedactor(contract.document);
const others = { redactor, clock: () => startOfTests, report: () => undefined };

describe('createService', () => {
  it('closes its stores when it fails, so that the next start can open them', async () => {
    const config = readConfig({ DATA_DIR: temporaryDirectory() }, contract.document);
    const document = changedContract(['x-rate-limit-address-plan'], 'enterprise');
    const dependencies = { contract: { ...contract, document }, ...others };
    const error = await createService(config, dependencies).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error)
      .to.be.instanceOf(TypeError)
      .with.property('message', 'x-rate-limit-address-plan: enterprise is not a plan with limits.');
    await (await openStores(config, 'server', dependencies)).close();
  });

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
  let redis: RedisServer;
  beforeEach(async () => (redis = await RedisServer.start()));
  afterEach(() => redis.kill());

  it('counts quotas only in Redis, and reports when Redis is unavailable', async () => {
    const service = await startService({ REDIS_URL: redis.url, METRICS_PORT: '0' });
    const degraded = async () => (await readMetrics(service.metricsUrl)).get('petstore_quotas_degraded');
    const first = await request(service).get('/v1/pets').expect(200);
    const second = await request(service).options('/v1/pets').expect(204);
    const remaining = (headers: unknown) => Number((headers as Record<string, string>)['x-ratelimit-remaining']);
    expect(remaining(second.headers)).to.equal(remaining(first.headers) - 1);
    await request(service, null).get('/v1/pets').expect(401);
    const keys = (await redis.call<string[]>('KEYS', '*')).filter((key) => !key.endsWith(':probe'));
    expect(keys, 'the quota of the key').to.have.lengthOf(1);
    expect(keys[0]).to.contain('quota');
    expect(readdirSync(service.directory).filter((name) => name.startsWith('limits'))).to.deep.equal([]);
    expect(await degraded()).to.equal(0);
    await redis.kill();
    await eventually('the service is degraded', async () => (await degraded()) === 1, 1000);
    await request(service).get('/v1/pets').expect(200);
    expect(service.reported.map(String)).to.have.length(1);
  });

  it('closes its Redis connections when it fails', async () => {
    const config = readConfig({ DATA_DIR: temporaryDirectory(), REDIS_URL: redis.url }, contract.document);
    const document = changedContract(['x-rate-limit-address-plan'], 'enterprise');
    const dependencies = { contract: { ...contract, document }, ...others };
    await createService(config, dependencies).catch(() => undefined);
    expect(
      (await redis.call<string>('CLIENT', 'LIST')).trim().split('\n'),
      'only the connection of the test',
    ).to.have.length(1);
  });
});
