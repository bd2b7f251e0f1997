import { expect } from 'chai';
import { RateLimiter } from '#src/http/middleware/rate-limit.js';
import { contractUrl, readContract } from '#src/openapi/load-contract.js';
import type { RateLimitStore } from '#src/rate-limits/rate-limit-store.js';
import { free, start } from '../../support/rate-limits/quota.js';

const { document } = await readContract(contractUrl);
const plans = document['x-rate-limit-plans'];
/** Never called in these tests. */
const store = {} as RateLimitStore;
const times = {
  createdAt: start,
  expiresAt: undefined,
  revokedAt: undefined,
  rotatedAt: undefined,
  lastUsedAt: undefined,
};

describe('RateLimiter', () => {
  const rateLimiter = new RateLimiter(store, plans, free);
  const keyOn = (plan: keyof typeof plans, limits?: { requestsPerMinute: number; requestsPerDay: number }) => ({
    id: 'key_a',
    name: 'a',
    quota: { id: 'quota_a', plan, limits },
    ...times,
  });

  it('uses the limits of the plan, or those of the key if the plan is custom', () => {
    expect(rateLimiter.clientOfKey(keyOn('pro')).limits).to.deep.equal(plans.pro);
    const limits = { requestsPerMinute: 5, requestsPerDay: 50 };
    expect(rateLimiter.clientOfKey(keyOn('enterprise', limits))).to.deep.equal({
      kind: 'quota',
      id: 'quota_a',
      limits,
    });
  });

  it('throws for a key with a custom plan and no limits', () => {
    expect(() => rateLimiter.clientOfKey(keyOn('enterprise'))).to.throw(
      'The quota quota_a has the custom plan enterprise without',
    );
  });

  it('counts connections without a known address together', () => {
    expect(rateLimiter.clientOfAddress(undefined)).to.deep.include({ kind: 'address', id: '' });
  });
});
