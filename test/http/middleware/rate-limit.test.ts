import { expect } from 'chai';
import type { Response } from 'supertest';
import { request } from '../../support/clients/request.js';
import { unknownPath } from '../../support/contract/contract-requests.js';
import { corruptDatabase } from '../../support/fault-injection.js';
import { free, rule } from '../../support/rate-limits/quota.js';
import { startOfTests, startService, type TestService, useNewService } from '../../support/servers/service.js';

/** The parts of a response that the tests compare. */
interface LimitedResponse {
  readonly body: unknown;
  readonly headers: Record<string, string>;
}

const startSeconds = startOfTests / 1000;
const forgedToken = 'pets_live_0000000000000000000000000000000000aa';

describe('rate limits', () => {
  const service = useNewService();

  const createKey = async (requestsPerMinute: number, requestsPerDay: number) => {
    const limits = { requestsPerMinute, requestsPerDay };
    const { token } = await service.apiKeyService.create({
      name: 'small',
      plan: 'enterprise',
      limits,
      expiresAt: undefined,
    });
    return token;
  };
  const createFreeKey = () =>
    service.apiKeyService.create({ name: 'free', plan: 'free', limits: undefined, expiresAt: undefined });
  const statuses = (responses: readonly Response[]) => responses.map(({ status }) => status);

  it('are in the headers of a 200: both windows, and the one with the fewest requests remaining', async () => {
    const { token } = await createFreeKey();
    const { headers } = await request(service, token).get('/v1/pets').expect(200);
    expect(headers).to.include({
      'x-ratelimit-limit': '60',
      'x-ratelimit-remaining': '59',
      'x-ratelimit-reset': String(startSeconds + 60),
      'ratelimit-policy': '"minute";q=60;w=60, "day";q=1000;w=86400',
      ratelimit: '"minute";r=59;t=60, "day";r=999;t=86400',
    });
  });

  it('return 429 beyond the minute quota, and allow a request right after Retry-After', async () => {
    const token = await createKey(2, 100);
    service.clock.now += 400;
    for (const status of [200, 200]) await request(service, token).get('/v1/pets').expect(status);
    service.clock.now += 100;
    const { body, headers } = (await request(service, token).get('/v1/pets').expect(429)) as LimitedResponse;
    expect(body).to.deep.equal({
      code: 'rate_limit_exceeded',
      message: 'The limit of 2 requests per minute is exceeded. Retry after 60 s.',
      status: 429,
    });
    expect(headers).to.include({ 'retry-after': '60', 'x-ratelimit-limit': '2', 'x-ratelimit-remaining': '0' });
    expect(headers['x-ratelimit-reset'], 'rounded up').to.equal(String(startSeconds + 61));
    service.clock.now += Number(headers['retry-after']) * 1000;
    await request(service, token).get('/v1/pets').expect(200);
  });

  it('return 429 daily_quota_exceeded beyond the day quota, for every operation, until the window ends', async () => {
    const token = await createKey(100, 1);
    await request(service, token).get('/v1/pets').expect(200);
    for (const send of [
      request(service, token).get('/v1/pets/1'),
      request(service, token).post('/v1/pets').send({}),
      request(service, token).get('/v1/store/orders'),
    ]) {
      const { body, headers } = (await send.expect(429)) as LimitedResponse;
      expect(body).to.deep.equal({
        code: 'daily_quota_exceeded',
        message: 'The quota of 1 requests per day is used up. Retry after 86400 s.',
        status: 429,
      });
      expect(headers).to.include({ 'retry-after': '86400', 'x-ratelimit-reset': String(startSeconds + 86_400) });
    }
    service.clock.now += 86_400_000;
    await request(service, token).get('/v1/pets').expect(200);
  });

  it('are decided before the body is read and validated', async () => {
    const token = await createKey(1, 100);
    await request(service, token).get('/v1/pets').expect(200);
    await request(service, token).post('/v1/pets').type('text/plain').send('x').expect(429);
    await request(service, token).get(unknownPath).expect(429);
    await request(service, token).propfind('/v1/pets').expect(429);
    await request(service, token).options('/v1/pets').expect(429);
  });

  it('count requests that are rejected for another reason, and unknown paths', async () => {
    const token = await createKey(5, 100);
    const send = request(service, token);
    await send.get('/v1/pets?limit=0').expect(400);
    await send.get(unknownPath).expect(404);
    await send.propfind('/v1/pets').expect(405);
    await send.options('/v1/pets').expect(204);
    const { headers } = await send.get('/v1/store/orders').expect(501);
    expect(headers).to.include({ 'x-ratelimit-remaining': '0' });
  });

  it('ban a key that ignores 429 responses, with the end of the ban', async () => {
    const token = await createKey(1, 1000);
    for (let sent = 0; sent <= rule.rejectedRequestsFactor; sent += 1) await request(service, token).get('/v1/pets');
    const { body, headers } = (await request(service, token).get('/v1/pets').expect(429)) as LimitedResponse;
    expect(body).to.deep.equal({
      code: 'api_key_banned',
      message: 'The API key is temporarily banned because 429 responses were ignored. Retry after 900 s.',
      status: 429,
    });
    expect(headers).to.include({
      'retry-after': '900',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(startSeconds + rule.seconds),
      ratelimit: '"minute";r=0;t=900, "day";r=999;t=86400',
    });
    service.clock.now += rule.seconds * 1000;
    await request(service, token).get('/v1/pets').expect(200);
  });

  it('follow a plan change within 5 s, and are shared by a key and its successor', async () => {
    const { key, token } = await createFreeKey();
    await request(service, token).get('/v1/pets').expect(200);
    await service.apiKeyService.update(key.id, { plan: 'pro', limits: undefined });
    service.clock.now += 5000;
    const changed = await request(service, token).get('/v1/pets').expect(200);
    expect(changed.headers).to.include({ 'x-ratelimit-limit': '300', 'x-ratelimit-remaining': '298' });
    const successor = await service.apiKeyService.rotate(key.id, 1000);
    const shared = await request(service, successor.token).get('/v1/pets').expect(200);
    expect(shared.headers).to.include({ 'x-ratelimit-remaining': '297' });
  });

  it('return 429 instead of 401 beyond the quota of the address, and still accept a valid key', async () => {
    const send = () =>
      request(service, forgedToken)
        .get('/v1/pets')
        .set('X-Forwarded-For', `198.51.100.${String(Math.random() * 255)}`);
    const responses: Response[] = [];
    for (let sent = 0; sent < 100; sent += 1) responses.push(await send());
    expect(statuses(responses)).to.deep.equal([...Array<number>(60).fill(401), ...Array<number>(40).fill(429)]);
    expect(responses[0]?.headers).to.include({
      'ratelimit-policy': '"minute";q=60;w=60',
      'x-ratelimit-remaining': '59',
    });
    expect(Number(responses[99]?.headers['retry-after'])).to.be.within(1, 60);
    await request(service).get('/v1/pets').expect(200);
    await request(service, null).get(unknownPath).expect(429);
  });

  it('are in the headers of a 503 for a failed key look-up, which is not counted', async () => {
    const { token } = await createFreeKey();
    corruptDatabase(service);
    const { headers } = await request(service, token).get('/v1/pets').expect(503);
    expect(headers).to.include({ 'x-ratelimit-remaining': '60', 'x-ratelimit-limit': String(free.requestsPerMinute) });
  });
});

describe('rate limits behind proxies', () => {
  const spend = async (service: TestService, forwarded: string) => {
    const { headers } = await request(service, null).get('/v1/pets').set('X-Forwarded-For', forwarded).expect(401);
    return Number(headers['x-ratelimit-remaining']);
  };

  it('use the address from X-Forwarded-For that TRUST_PROXY allows', async () => {
    const service = await startService({ TRUST_PROXY: '1' });
    expect(await spend(service, '203.0.113.9, 198.51.100.1')).to.equal(59);
    expect(await spend(service, '203.0.113.10, 198.51.100.1'), 'a forged entry before the one of the proxy').to.equal(
      58,
    );
    expect(await spend(service, '198.51.100.2')).to.equal(59);
  });

  it('use the address of the proxy if the reported one is not an IP address', async () => {
    const service = await startService({ TRUST_PROXY: '1' });
    const values = ['unknown', '_hidden', '198.51.100.1:4711', '[2001:db8::1]', '198.51.100.300', 'x'.repeat(5000)];
    const left: number[] = [];
    for (const value of values) left.push(await spend(service, value));
    expect(left).to.deep.equal([59, 58, 57, 56, 55, 54]);
    const { headers } = await request(service, null).get('/v1/pets').expect(401);
    expect(headers).to.include({ 'x-ratelimit-remaining': '53' });
    expect(await spend(service, 'unknown, 198.51.100.1')).to.equal(59);
  });

  it('read no more than 100 addresses of trusted proxies', async () => {
    const service = await startService({ TRUST_PROXY: '127.0.0.0/8' });
    const client = (hops: number) => `198.51.100.1, ${Array<string>(hops).fill('127.0.0.1').join(', ')}`;
    expect(await spend(service, client(99))).to.equal(59);
    expect(await spend(service, client(100)), 'the address of the last proxy').to.equal(59);
    expect(await spend(service, client(1))).to.equal(58);
  });

  it('count IPv4-mapped IPv6 as IPv4, and an IPv6 /56 as one', async () => {
    const service = await startService({ TRUST_PROXY: '127.0.0.0/8' });
    expect(await spend(service, '198.51.100.1')).to.equal(59);
    expect(await spend(service, '::ffff:198.51.100.1')).to.equal(58);
    expect(await spend(service, '2001:db8:0:ff00::1')).to.equal(59);
    expect(await spend(service, '2001:db8:0:ff12:ffff::2')).to.equal(58);
    expect(await spend(service, '2001:db8:0:fe00::1')).to.equal(59);
  });
});
