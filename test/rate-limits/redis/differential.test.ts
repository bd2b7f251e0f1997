import { createClient } from '@redis/client';
import { expect } from 'chai';
import fc from 'fast-check';
import { parseRedisTarget } from '#src/database/redis/redis-target.js';
import type { BanRules } from '#src/openapi/document.js';
import {
  dayMs,
  decide,
  isIdle,
  type Limits,
  minuteMs,
  newQuotaState,
  peek,
  type QuotaState,
  toDecision,
} from '#src/rate-limits/decide.js';
import { clearBan, clearedBan, type Quota } from '#src/rate-limits/quota-store.js';
import { KnownQuotas } from '#src/rate-limits/redis/known-quotas.js';
import { RedisConnection } from '#src/rate-limits/redis/redis-connection.js';
import { RedisRateLimitStore } from '#src/rate-limits/redis/redis-store.js';
import { redisKey } from '#src/rate-limits/redis/scripts.js';
import { type KnownQuota, restoreQuota } from '#src/rate-limits/restore-quota.js';
import { rules, start } from '../../support/rate-limits/quota.js';
import { pairsOfStates } from '../../support/rate-limits/quota-states.js';
import { describeWithRedis, sharedRedisUrl } from '../../support/redis/redis-server.js';

const manyLimits = fc.record({
  requestsPerMinute: fc.integer({ min: 1, max: 4 }),
  requestsPerDay: fc.integer({ min: 1, max: 8 }),
});

const ends = ['minute', 'day', 'row', 'ban', 'memory'] as const;

/** Bans come early and are short, so that a sequence holds several. */
const manyRules = fc.record({
  abusedMinuteFactor: fc.integer({ min: 1, max: 2 }),
  abusedMinutesInARow: fc.integer({ min: 1, max: 3 }),
  firstBanSeconds: fc.integer({ min: 1, max: 100 }),
  longestBanSeconds: fc.integer({ min: 100, max: 400 }),
  rememberedSeconds: fc.oneof(fc.integer({ min: 100, max: 1000 }), fc.constant((3 * dayMs) / 1000)),
});

const times = fc.oneof(
  fc.constantFrom(1, 999, 1000, minuteMs - 1, minuteMs, 2 * minuteMs - 1, 2 * minuteMs, dayMs - 1, dayMs, 2 * dayMs),
  fc.integer({ min: 1, max: 3 * minuteMs }),
);

const manySteps = fc.array(
  fc.oneof(
    { weight: 12, arbitrary: fc.record({ requests: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.constant(20)) }) },
    // Requests that continue from one minute to the next lead to bans.
    { weight: 8, arbitrary: fc.constant({ until: 'minute', offsetMs: 0 } as const) },
    { weight: 3, arbitrary: fc.record({ waitMs: times }) },
    {
      weight: 6,
      arbitrary: fc.record({
        until: fc.constantFrom(...ends),
        offsetMs: fc.constantFrom(-minuteMs, -30_000, -1, 0, 1),
      }),
    },
    { weight: 2, arbitrary: fc.record({ waitMs: times.map((ms) => -ms) }) },
    { weight: 1, arbitrary: fc.record({ limits: manyLimits }) },
    { weight: 1, arbitrary: fc.constant('unban' as const) },
  ),
  { maxLength: 40, size: 'max' },
);

const fewCounts = fc.record({ minute: fc.integer({ min: 0, max: 3 }), day: fc.integer({ min: 0, max: 3 }) });

describeWithRedis('the decision that Redis makes', function () {
  this.timeout(120_000);
  let connection: RedisConnection;
  let operator: ReturnType<typeof createClient>;
  let nextId = 0;
  before(async () => {
    const url = await sharedRedisUrl();
    const target = parseRedisTarget(url);
    connection = await RedisConnection.open(target, 10_000);
    operator = createClient({ url });
    await operator.connect();
  });
  after(() => {
    connection.close();
    operator.destroy();
  });

  /** Both implementations, each with its own quota and clock. */
  class BothWays {
    readonly at = { now: start };
    readonly state: QuotaState = newQuotaState();
    private readonly known = new KnownQuotas(
      () => this.at.now,
      () => {
        throw new Error('A state was taken for lost.');
      },
    );
    private readonly store: RedisRateLimitStore;
    private readonly id = `differential-${String((nextId += 1))}`;

    constructor(
      private readonly kind: Quota['kind'],
      private readonly rules: BanRules,
    ) {
      this.store = new RedisRateLimitStore(connection, rules, this.known, () => this.at.now);
    }

    get client(): Pick<Quota, 'kind' | 'id'> {
      return { kind: this.kind, id: this.id };
    }

    async request(limits: Limits, count: number): Promise<void> {
      const banRules = this.kind === 'quota' ? this.rules : undefined;
      const expected = Array.from({ length: count }, () => decide(this.state, limits, banRules, this.at.now));
      const client: Quota = { ...this.client, limits };
      const decided = await Promise.all(expected.map(() => this.store.consume(client)));
      expect(decided).to.deep.equal(expected);
      if (this.kind === 'quota') expect(this.known.getLocalState(this.id)).to.deep.equal(this.state);
      expect(await this.store.peek(client)).to.deep.equal(peek(this.state, limits, this.at.now));
    }

    /** Advances to the end of a window or a ban, if it is in the future. */
    waitUntil(end: (typeof ends)[number], offsetMs: number): void {
      const { minuteStartedAt, dayStartedAt, abusedStartedAt, bannedUntil } = this.state;
      const instants = {
        minute: minuteStartedAt + minuteMs,
        day: dayStartedAt + dayMs,
        row: abusedStartedAt + 2 * minuteMs,
        ban: bannedUntil,
        memory: bannedUntil + this.rules.rememberedSeconds * 1000,
      };
      this.at.now = Math.max(this.at.now, instants[end] + offsetMs);
    }

    async unban(): Promise<void> {
      clearBan(this.state);
      this.state.unbannedAt = Math.max(this.at.now, this.state.unbannedAt + 1);
      const args = [String(this.at.now), JSON.stringify(clearedBan), String(dayMs)] as const;
      const unbannedAt = await connection.unban(redisKey(this.client), ...args);
      expect(unbannedAt).to.equal(this.state.unbannedAt);
    }

    /** Decides about a request, or only merges, on a stored state and one that is known. */
    async restore(stored: QuotaState, known: KnownQuota, limits: Limits | undefined): Promise<void> {
      await operator.set(redisKey(this.client), JSON.stringify(stored), { PX: dayMs });
      const expected = { ...stored };
      restoreQuota(expected, known, this.at.now);
      const expectedDecision = limits && decide(expected, limits, this.rules, this.at.now);
      const request = { ...this.client, known, ...(limits && { limits }) };
      const decision = await this.store.decide(request);
      expect(decision.before).to.deep.equal(stored);
      expect(decision.state).to.deep.equal(expected);
      if (limits === undefined || expectedDecision === undefined) return;
      const { beginsBan, ...view } = expectedDecision;
      expect(toDecision(decision.state, limits, this.at.now, decision.rejectedBy)).to.deep.equal(view);
      expect(decision.beginsBan).to.equal(beginsBan ?? false);
    }

    /** Redis deletes a state in the first millisecond in which it no longer affects a decision. */
    async assertExpiry(): Promise<void> {
      const idleAt = this.at.now + (await operator.pTTL(redisKey(this.client)));
      // Redis's clock has advanced since the request, that of the test has not.
      expect(isIdle(this.state, this.rules, idleAt + 5000)).to.equal(true);
      expect(isIdle(this.state, this.rules, idleAt - 1)).to.equal(false);
    }
  }

  it('equals that of decide for any requests, plans, ban rules, clocks and unbans, and so does the state', async () => {
    let bans = 0;
    await fc.assert(
      fc.asyncProperty(manyRules, manyLimits, manySteps, async (someRules, someLimits, steps) => {
        const both = new BothWays('quota', someRules);
        let limits = someLimits;
        for (const step of steps) {
          if (step === 'unban') await both.unban();
          else if ('limits' in step) limits = step.limits;
          else if ('waitMs' in step) both.at.now += step.waitMs;
          else if ('until' in step) both.waitUntil(step.until, step.offsetMs);
          else {
            await both.request(limits, step.requests);
            await both.assertExpiry();
          }
        }
        bans += both.state.bans;
      }),
      { numRuns: 300 },
    );
    expect(bans, 'bans that were compared').to.be.greaterThan(20);
  });

  it('equals that of decide and restoreQuota if a node writes back its states', async () => {
    const input = fc.record({ states: pairsOfStates, unsent: fewCounts });
    await fc.assert(
      fc.asyncProperty(manyRules, fc.option(manyLimits, { nil: undefined }), input, async (someRules, limits, one) => {
        const { states, unsent } = one;
        await new BothWays('quota', someRules).restore(states.stored, { state: states.known, unsent }, limits);
      }),
      { numRuns: 3000 },
    );
  });

  it('equals that of decide for addresses, which only have a minute', async () => {
    // In steps of 20 s: the key of an address expires with its minute, by the clock of Redis, which advances.
    const step = fc.record({
      requests: fc.integer({ min: 1, max: 9 }),
      waitMs: fc.constantFrom(0, minuteMs / 3, minuteMs),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const both = new BothWays('address', rules);
        for (const { requests, waitMs } of steps) {
          await both.request({ requestsPerMinute: 3 }, requests);
          both.at.now += waitMs;
        }
        expect(await operator.pTTL(redisKey(both.client))).to.be.at.most(minuteMs);
      }),
      { numRuns: 40 },
    );
  });
});
