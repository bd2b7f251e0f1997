import type { LimitedQuota } from '@contract-server/core/contract/document.js';
import {
  allowedCountOf,
  createQuota,
  free,
  mostWithoutBan,
  reasonsOf,
  repeat,
  rule,
  start,
} from '@contract-server/test-support/rate-limits/quota.js';
import { expect } from 'chai';
import fc from 'fast-check';
import { dayMs, minuteMs } from '#src/rate-limits/decide.js';
import type { QuotaStore } from '#src/rate-limits/quota-store.js';

/** The guarantees of a quota store. `create` creates an empty one that reads the time from `at`. */
export function describeQuotaStore(engine: string, create: (at: { now: number }) => Promise<QuotaStore>): void {
  describe(`QuotaStore in ${engine}`, () => {
    const at = { now: start };
    let store: QuotaStore;
    beforeEach(async () => {
      at.now = start;
      store = await create(at);
    });
    afterEach(() => store.close());

    const quota = (id: string, requestsPerMinute = 60, requestsPerDay = 1000): LimitedQuota => ({
      id,
      limits: { requestsPerMinute, requestsPerDay },
    });
    const send = (count: number, client: LimitedQuota) => Promise.all(repeat(count, () => store.consume(client)));

    it('decides about concurrent requests of several quotas in the order of each', async () => {
      const quotas = [quota('a', 2, 9), quota('b', 9, 3), quota('c', 5, 9)];
      const requests = repeat(100, () => quotas).flat();
      const decisions = await Promise.all(requests.map((client) => store.consume(client)));
      quotas.forEach((client, index) => {
        const own = decisions.filter((_, position) => requests[position] === client);
        const allowed = [2, 3, 5][index];
        expect(allowedCountOf(own), client.id).to.equal(allowed);
        expect(allowedCountOf(own.slice(0, allowed)), client.id).to.equal(allowed);
      });
    });

    it('peeks without counting, also at a quota without requests', async () => {
      expect(await store.peek(quota('a', 3, 9))).to.deep.include({ rejectedBy: undefined, decidedAt: start });
      await send(1, quota('a', 3, 9));
      for (const { minute, day } of await Promise.all(repeat(5, () => store.peek(quota('a', 3, 9)))))
        expect([minute.remaining, day?.remaining]).to.deep.equal([2, 8]);
    });

    it('bans a quota, until the ban ends or is reset with the minute', async () => {
      const client = quota('a', free.requestsPerMinute, 100_000);
      for (const end of [() => Promise.resolve((at.now += rule.seconds * 1000)), () => store.reset('a')]) {
        const reasons = reasonsOf(await send(mostWithoutBan(client.limits) + 2, client));
        expect(reasons.indexOf('ban')).to.equal(mostWithoutBan(client.limits));
        expect((await store.peek(client)).bannedUntil).to.equal(at.now + rule.seconds * 1000);
        await end();
        expect(allowedCountOf(await send(free.requestsPerMinute, client))).to.equal(free.requestsPerMinute);
        at.now += minuteMs;
      }
      expect((await store.peek(client)).day?.remaining, 'a reset leaves the day').to.equal(
        client.limits.requestsPerDay - 4 * free.requestsPerMinute,
      );
    });

    it('decides exactly like `decide` for any requests, plans and clocks', async () => {
      const [minute, day] = [fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 12 })];
      const limits = fc.record({ requestsPerMinute: minute, requestsPerDay: day });
      const waits = [1, minuteMs - 1, minuteMs, 2 * minuteMs, rule.seconds * 1000, dayMs - 1, dayMs];
      const step = fc.oneof(
        { weight: 10, arbitrary: fc.record({ requests: fc.constantFrom(1, 2, 5, 30, 60) }) },
        { weight: 5, arbitrary: fc.record({ waitMs: fc.constantFrom(...waits, -1, -minuteMs, -60 * minuteMs) }) },
        { weight: 1, arbitrary: fc.record({ limits }) },
      );
      let round = 0;
      let bans = 0;
      await fc.assert(
        fc.asyncProperty(limits, fc.array(step, { maxLength: 25, size: 'max' }), async (someLimits, steps) => {
          at.now = start;
          round += 1;
          const expected = createQuota(someLimits);
          let client: LimitedQuota = { id: `round-${String(round)}`, limits: someLimits };
          for (const one of steps) {
            if ('waitMs' in one) at.now += one.waitMs;
            else if ('limits' in one) client = { ...client, limits: one.limits };
            else {
              expected.at.now = at.now;
              const decisions = repeat(one.requests, () => expected.requestFor(client.limits));
              expect(await send(one.requests, client)).to.deep.equal(decisions);
              bans += Number(decisions.some(({ beginsBan }) => beginsBan));
            }
          }
        }),
        { numRuns: 100 },
      );
      expect(bans, 'bans that were compared').to.be.greaterThan(10);
    });
  });
}
