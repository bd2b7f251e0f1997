import { expect } from 'chai';
import { quotaOf } from '#src/http/middleware/plan-quota.js';
import { contractUrl, readContract } from '#src/openapi/load-contract.js';
import { start } from '../../support/rate-limits/quota.js';

const plans = (await readContract(contractUrl)).document['x-rate-limit-plans'];
const unset = { expiresAt: undefined, revokedAt: undefined, rotatedAt: undefined, lastUsedAt: undefined };
const custom = { requestsPerMinute: 5, requestsPerDay: 50 };

describe('quotaOf', () => {
  const quotaOn = (plan: keyof typeof plans, limits?: typeof custom) =>
    quotaOf({ id: 'key_a', name: 'a', quota: { id: 'quota_a', plan, limits }, createdAt: start, ...unset }, plans);

  it('has the limits of the plan, or those of the key if the plan is custom', () => {
    expect(quotaOn('pro')).to.deep.include({ id: 'quota_a', limits: plans.pro });
    expect(quotaOn('enterprise', custom)).to.deep.include({ id: 'quota_a', limits: custom });
  });

  it('throws for a key with a custom plan and no limits', () => {
    expect(() => quotaOn('enterprise')).to.throw('The quota quota_a has the custom plan enterprise without');
  });
});
