import { banRuleOf } from '@contract-server/core/contract/document.js';
import { RawConnection } from '@contract-server/test-support/clients/raw-connection.js';
import { host, message, unknownPath } from '@contract-server/test-support/clients/raw-requests.js';
import { apiError, responseOf } from '@contract-server/test-support/contract/response.js';
import { corruptDatabase } from '@contract-server/test-support/fault-injection.js';
import { issueKey } from '@contract-server/test-support/issue-key.js';
import { contract, request, startToys, type TestToys, useNewToys } from '@contract-server/test-support/servers/toys.js';
import { startOfTests } from '@contract-server/test-support/start-of-tests.js';
import { expect } from 'chai';

const rule = banRuleOf(contract.document);
const startSeconds = startOfTests / 1000;
const forgedToken = 'toys_live_0000000000000000000000000000000000aa';
const banned = 'The API key is temporarily banned because 429 responses were ignored.';
const tooMany = (code: string, message: string, seconds: number) =>
  apiError(429, code, `${message} Retry after ${String(seconds)} s.`, { 'retry-after': String(seconds) });

describe('rate limits', () => {
  const service = useNewToys();

  const list = (token: string | null) => request(service, token).get('/v1/toys');

  it('are in the headers: both windows, and the one with the fewest requests remaining; also those of a 503', async () => {
    const { headers } = await list((await issueKey(service, 'free')).token).expect(200);
    expect(headers).to.include({
      'x-ratelimit-limit': '60',
      'x-ratelimit-remaining': '59',
      'x-ratelimit-reset': String(startSeconds + 60),
      'ratelimit-policy': '"minute";q=60;w=60, "day";q=1000;w=86400',
      ratelimit: '"minute";r=59;t=60, "day";r=999;t=86400',
    });
    const { token } = await issueKey(service, 'free');
    corruptDatabase(service);
    // The key cannot be looked up, and the request is not counted.
    await list(token).expect(503).expect('X-RateLimit-Remaining', '60').expect('X-RateLimit-Limit', '60');
  });

  /** After this many requests, each of which counts, the next one is rejected with this code, for so many seconds. */
  const rejections: readonly (readonly [limits: [number, number], count: number, ...Parameters<typeof tooMany>])[] = [
    [[2, 100], 2, 'rate_limit_exceeded', 'The limit of 2 requests per minute is exceeded.', 60],
    [[100, 1], 1, 'daily_quota_exceeded', 'The quota of 1 requests per day is used up.', 86_400],
    [[1, 1000], rule.rejectedRequestsFactor + 1, 'api_key_banned', banned, rule.seconds],
  ];
  for (const [limits, count, code, reason, seconds] of rejections)
    it(`return 429 ${code} for every operation, and allow a request right after Retry-After`, async () => {
      const { token } = await issueKey(service, limits);
      const send = request(service, token);
      service.clock.now += 400;
      for (let sent = 0; sent < count; sent += 1) await list(token);
      const { body, headers } = tooMany(code, reason, seconds);
      // Rounded up.
      const windowEnd = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(startSeconds + seconds + 1) };
      const reads = ['/v1/toys', '/v1/toys/1', '/v1/parts/all'].map((target) => send.get(target));
      for (const sent of [...reads, send.post('/v1/toys').send({})]) {
        const response = await sent;
        expect(responseOf(response)).to.deep.include({ status: 429, body });
        expect(response.headers).to.include({ ...headers, ...windowEnd });
      }
      service.clock.now += seconds * 1000;
      await list(token).expect(200);
    });

  it('count requests that are rejected for another reason, and apply before the body is read', async () => {
    const { token } = await issueKey(service, [5, 100]);
    const send = request(service, token);
    await send.get('/v1/toys?limit=0').expect(400);
    await send.get(unknownPath).expect(404);
    await send.propfind('/v1/toys').expect(405);
    await send.options('/v1/toys').expect(204);
    await send.get('/v1/parts/all').expect(501).expect('X-RateLimit-Remaining', '0');
    await send.post('/v1/toys').type('text/plain').send('x').expect(429);
    for (const sent of [send.get(unknownPath), send.propfind('/v1/toys'), send.options('/v1/toys')])
      await sent.expect(429);
  });

  it('return 429 instead of 401 beyond the quota of the address, and still accept a valid key', async () => {
    for (let sent = 1; sent <= 61; sent += 1) {
      // Without TRUST_PROXY, the header is ignored.
      const { status, headers } = await list(forgedToken).set('X-Forwarded-For', `198.51.100.${String(sent)}`);
      expect(status).to.equal(sent <= 60 ? 401 : 429);
      const remaining = String(Math.max(0, 60 - sent));
      expect(headers).to.include({ 'ratelimit-policy': '"minute";q=60;w=60', 'x-ratelimit-remaining': remaining });
      if (sent > 60) expect(Number(headers['retry-after'])).to.be.within(1, 60);
    }
    await list(service.token).expect(200);
    await request(service, null).get(unknownPath).expect(429);
  });
});

describe('the rate limit of an address', () => {
  const service = useNewToys();

  it('counts requests that arrive in one packet one after the other', async () => {
    const connection = await RawConnection.open(service, message(['GET /v1/toys HTTP/1.1', host]).repeat(61));
    for (let sent = 1; sent <= 61; sent += 1) {
      const { status, headers } = await connection.readResponse();
      const remaining = String(Math.max(0, 60 - sent));
      expect([status, headers['x-ratelimit-remaining']]).to.deep.equal([sent <= 60 ? 401 : 429, remaining]);
    }
  });
});

describe('rate limits behind proxies', () => {
  const remainingFor = async (service: TestToys, forwarded: string | undefined) => {
    const headers = forwarded === undefined ? {} : { 'X-Forwarded-For': forwarded };
    return Number((await request(service, null).get('/v1/toys').set(headers).expect(401)).get('x-ratelimit-remaining'));
  };
  const networks = '127.0.0.0/8';
  const noAddresses = ['unknown', '198.51.100.1:4711', '[2001:db8::1]', 'x'.repeat(5000), undefined] as const;

  /** The values of `X-Forwarded-For` after which a request of the same client has 59, 58, 57 … requests remaining. */
  for (const [title, trusted, same, other] of [
    ['use the last address behind one proxy', '1', ['192.0.2.9, 192.0.2.1', 'x, 192.0.2.1'], '192.0.2.9'],
    ['use the address of the proxy instead of what is no IP address', '1', noAddresses, '198.51.100.1'],
    ['count IPv4-mapped IPv6 as IPv4', networks, ['198.51.100.1', '::ffff:198.51.100.1'], '::1'],
    ['count an IPv6 /56 as one', networks, ['2001:db8:0:ff00::1', '2001:db8:0:ff12:ffff::2'], '2001:db8:0:fe00::1'],
  ] as const)
    it(title, async () => {
      const service = await startToys({ TRUST_PROXY: trusted });
      for (const [index, value] of same.entries()) expect(await remainingFor(service, value)).to.equal(59 - index);
      expect(await remainingFor(service, other)).to.equal(59);
    });
});
