import { ipKeyGenerator } from 'express-rate-limit';
import { type ApiKey, limitsOf, type Plans } from '../../api-keys/api-key.js';
import type { ContractDocument, PlanLimits } from '../../openapi/document.js';
import type { Decision } from '../../rate-limits/decide.js';
import type { RateLimitClient, RateLimitStore } from '../../rate-limits/rate-limit-store.js';

/** Whose requests are counted against which limits. */
export class RateLimiter {
  constructor(
    private readonly store: RateLimitStore,
    private readonly plans: Plans,
    /** What an address without a valid key may do: the minute of this plan. */
    private readonly addressLimits: PlanLimits,
  ) {}

  /** Decides about a request and counts it, in one atomic step. */
  admit(client: RateLimitClient): Promise<Decision> {
    return this.store.consume(client);
  }

  /** What a subject is told when its request is not counted. */
  peek(client: RateLimitClient): Promise<Decision> {
    return this.store.peek(client);
  }

  /** The budget of a key: the numbers of its plan, or its own where the plan is custom. */
  quotaOf({ quota }: ApiKey): RateLimitClient {
    const limits = limitsOf(quota, this.plans);
    if (limits === undefined)
      throw new Error(`The budget ${quota.id} has the custom plan ${quota.plan} without its two numbers.`);
    return { kind: 'quota', id: quota.id, limits };
  }

  /** The address of a client: IPv4-mapped IPv6 counts as IPv4, and an IPv6 network of 2^72 addresses (/56) as one. */
  addressOf(address: string | undefined): RateLimitClient {
    const id = ipKeyGenerator(address ?? '');
    return { kind: 'address', id, limits: { requestsPerMinute: this.addressLimits.requestsPerMinute } };
  }
}

/** What an address may do. @throws TypeError if the contract has no numbers for it. */
export function addressPlanOf(document: ContractDocument): PlanLimits {
  const plan = document['x-rate-limit-plans'][document['x-rate-limit-address-plan']];
  if (plan === 'custom') throw new TypeError('x-rate-limit-address-plan names a plan without numbers.');
  return plan;
}
