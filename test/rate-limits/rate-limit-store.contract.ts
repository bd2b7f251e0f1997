import { expect } from 'chai';
import fc from 'fast-check';
import { dayMs, minuteMs } from '#src/rate-limits/decide.js';
import type { Quota, QuotaStore, UsageAdministration } from '#src/rate-limits/quota-store.js';
import { free, rules, start } from '../support/rate-limits/quota.js';

export interface LimitStoreFixture {
  store: QuotaStore;
  readonly administration: UsageAdministration;
  /** Replaces `store` as after a kill: what was in memory is lost. */
  restart(): Promise<void> | void;
  /** Applies the changes of operators, as the store does every few seconds. */
  follow(): Promise<void>;
  close(): Promise<void>;
}

/** The guarantees of a rate-limit store. `create` creates an empty one that reads the time from `at`. */
export function describeLimitStore(engine: string, create: (at: { now: number }) => Promise<LimitStoreFixture>): void {
  describe(`QuotaStore in ${engine}`, () => {
    const at = { now: start };
    let fixture: LimitStoreFixture;
    beforeEach(async () => {
      at.now = start;
      fixture = await create(at);
    });
    afterEach(() => fixture.close());

    const quota = (id: string, requestsPerMinute: number, requestsPerDay: number): Quota => ({
      kind: 'quota',
      id,
      limits: { requestsPerMinute, requestsPerDay },
    });
    const address = (id: string): Quota => ({ kind: 'address', id, limits: { requestsPerMinute: 60 } });
    const allowedOf = async (client: Quota, requests: number) => {
      const decisions = await Promise.all(Array.from({ length: requests }, () => fixture.store.consume(client)));
      return decisions.filter(({ rejectedBy }) => rejectedBy === undefined);
    };

    it('allows exactly the limit of 500 concurrent requests, and returns each remaining number once', async () => {
      const allowed = await allowedOf(quota('a', 60, 1000), 500);
      const shown = allowed.map(({ reportedWindow }) => reportedWindow.remaining).sort((a, b) => b - a);
      expect(shown).to.deep.equal(Array.from({ length: 60 }, (_, index) => 59 - index));
    });

    it('counts each quota and each address separately', async () => {
      for (const client of [quota('a', 2, 9), quota('b', 2, 9), address('192.0.2.1'), address('192.0.2.2')]) {
        expect(await allowedOf(client, 100)).to.have.length(client.limits.requestsPerMinute);
      }
    });

    it('decides about concurrent requests of several quotas and addresses in the order of each', async () => {
      const clients = [quota('a', 2, 9), address('192.0.2.1'), quota('b', 9, 3), quota('c', 5, 9)];
      const allowed = [2, 60, 3, 5];
      const requests = Array.from({ length: 100 }, () => clients).flat();
      const decisions = await Promise.all(requests.map((client) => fixture.store.consume(client)));
      clients.forEach((client, index) => {
        const rejections = decisions.flatMap(({ rejectedBy }, at) =>
          requests[at] === client ? [rejectedBy !== undefined] : [],
        );
        expect(rejections.indexOf(true), client.id).to.equal(allowed[index]);
        expect(rejections.lastIndexOf(false), client.id).to.equal((allowed[index] ?? 0) - 1);
      });
    });

    it('limits an address per minute, and never bans it', async () => {
      for (let minute = 0; minute < 5; minute += 1) {
        at.now = start + minute * minuteMs;
        const decisions = await Promise.all(
          Array.from({ length: 2000 }, () => fixture.store.consume(address('192.0.2.1'))),
        );
        expect(decisions.filter(({ rejectedBy }) => rejectedBy === undefined)).to.have.length(60);
        expect(decisions.map(({ rejectedBy }) => rejectedBy)).not.to.include('ban');
        expect(decisions[0]?.windows.map(({ name }) => name)).to.deep.equal(['minute']);
      }
    });

    it('allows exactly 5 requests per day across kills of the process', async () => {
      const client = quota('a', 100, 5);
      let allowed = 0;
      for (let life = 0; life < 4; life += 1) {
        allowed += (await allowedOf(client, 2)).length;
        await fixture.restart();
        at.now += 1000;
      }
      expect(allowed).to.equal(5);
    });

    it('keeps a ban across a kill of the process, until it ends', async () => {
      const client = quota('a', free.requestsPerMinute, free.requestsPerDay);
      await ban(client);
      await fixture.restart();
      expect((await fixture.store.consume(client)).rejectedBy).to.equal('ban');
      at.now += rules.firstBanSeconds * 1000;
      expect((await fixture.store.consume(client)).rejectedBy).not.to.equal('ban');
    });

    it('applies the unban of an operator, also if no server was running at the time', async () => {
      for (const isRunning of [true, false]) {
        const client = quota(`a${String(at.now)}`, free.requestsPerMinute, free.requestsPerDay);
        await ban(client);
        await fixture.administration.unban(client.id);
        if (isRunning) await fixture.follow();
        else await fixture.restart();
        at.now += minuteMs;
        expect((await fixture.store.consume(client)).rejectedBy).to.equal(undefined);
        expect((await fixture.administration.usage([client.id])).get(client.id)).to.deep.include({
          bans: 0,
          bannedUntil: 0,
        });
      }
    });

    it('returns the usage of each quota for operators', async () => {
      await allowedOf(quota('a', 3, 9), 5);
      expect((await fixture.administration.usage(['a'])).get('a')).to.deep.include({
        minuteUsed: 3,
        minuteRejected: 2,
        dayUsed: 3,
        bans: 0,
      });
    });

    it('peeks without counting', async () => {
      const client = quota('a', 3, 9);
      await fixture.store.consume(client);
      for (let look = 0; look < 5; look += 1)
        expect((await fixture.store.peek(client)).reportedWindow.remaining).to.equal(2);
      expect((await fixture.store.peek(address('192.0.2.1'))).reportedWindow.remaining).to.equal(60);
    });

    it('decides exactly like a model for any interleaving of keys, clocks and kills', async () => {
      const step = fc.oneof(
        {
          weight: 10,
          arbitrary: fc.record({ key: fc.constantFrom('a', 'b', 'c'), requests: fc.integer({ min: 1, max: 8 }) }),
        },
        { weight: 3, arbitrary: fc.record({ wait: fc.constantFrom(1, 59_999, minuteMs, dayMs - 1, dayMs) }) },
        { weight: 2, arbitrary: fc.constant('kill' as const) },
      );
      let round = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
          round += 1;
          const allowed: Record<string, number[]> = {};
          for (const one of steps) {
            if (one === 'kill') await fixture.restart();
            else if ('wait' in one) at.now += one.wait;
            else {
              const times = (allowed[one.key] ??= []);
              const count = (await allowedOf(quota(`${one.key}${String(round)}`, 4, 10), one.requests)).length;
              expect(count, `${one.key} at ${String(at.now)}`).to.equal(Math.min(one.requests, roomIn(times, at.now)));
              times.push(...Array<number>(count).fill(at.now));
            }
          }
        }),
        { numRuns: 40 },
      );
    });

    /** How many of 4 a minute and 10 a day are left, from the times of all allowed requests. */
    function roomIn(times: readonly number[], now: number): number {
      const usedIn = (lengthMs: number) => {
        let startedAt = -Infinity;
        let used = 0;
        for (const time of times) {
          if (time >= startedAt + lengthMs) [startedAt, used] = [time, 0];
          used += 1;
        }
        return now >= startedAt + lengthMs ? 0 : used;
      };
      return Math.min(4 - usedIn(minuteMs), 10 - usedIn(dayMs));
    }

    async function ban(client: Quota): Promise<void> {
      for (let minute = 0; minute < rules.abusedMinutesInARow; minute += 1) {
        if (minute > 0) at.now += minuteMs;
        await Promise.all(abuse(client));
      }
      expect((await fixture.store.consume(client)).rejectedBy).to.equal('ban');
    }

    function abuse(client: Quota) {
      const untilAbuse = client.limits.requestsPerMinute * (rules.abusedMinuteFactor + 1) + 1;
      return Array.from({ length: untilAbuse }, () => fixture.store.consume(client));
    }
  });
}
