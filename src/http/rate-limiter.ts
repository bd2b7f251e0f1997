import type { IncomingMessage, ServerResponse } from 'node:http';
import type { NextFunction, Request, Response } from 'express';
import { ipKeyGenerator, rateLimit } from 'express-rate-limit';
import type { ContractDocument, PlanLimits } from '../contract/document.js';
import { type ApiKey, limitsOf, type Plans } from '../domain/api-keys.js';
import type { LimitStore, Subject } from '../domain/limit-store.js';
import type { Admission } from '../domain/limits.js';

/**
 * express-rate-limit, with both windows in one pass. Its store is given a key and nothing else, so the key names the request; the store decides
 * about the subject of that request, and leaves the whole admission for whoever writes the headers. The library's own headers are
 * off: two of its limiters would overwrite each other's.
 */
export class RateLimiter {
  private readonly asked = new Map<string, Asked>();
  private readonly names = new WeakMap<IncomingMessage, string>();
  private nextName = 0;
  private readonly middleware = rateLimit({
    keyGenerator: (request) => this.names.get(request) ?? '',
    store: {
      increment: async (name) => ({ totalHits: (await this.decide(name)) ? 1 : 2, resetTime: undefined }),
      decrement: () => undefined,
      resetKey: () => undefined,
    },
    limit: 1,
    legacyHeaders: false,
    standardHeaders: false,
    // A refusal is the answer of whoever asked, like every other.
    handler: (_request, _response, next) => next(),
    // They look for mistakes with addresses and with several limiters, neither of which this one knows.
    validate: false,
  });

  constructor(
    private readonly store: LimitStore,
    private readonly plans: Plans,
    /** What an address without a valid key may do: the minute of this plan. */
    private readonly addressLimits: PlanLimits,
  ) {}

  /** Decides about a request and counts it. */
  async admit(request: IncomingMessage, response: ServerResponse, subject: Subject): Promise<Admission> {
    const name = String((this.nextName += 1));
    const asked: Asked = { subject };
    this.asked.set(name, asked);
    this.names.set(request, name);
    try {
      await new Promise<void>((resolve, reject) => {
        const next = (error?: Error) => (error === undefined ? resolve() : reject(error));
        void this.middleware(request as Request, response as Response, next as NextFunction);
      });
    } finally {
      this.asked.delete(name);
    }
    if (asked.admission === undefined) throw new Error('express-rate-limit did not ask its store.');
    return asked.admission;
  }

  /** Decides about bytes on a connection that are no request. */
  admitFault(address: string | undefined): Promise<Admission> {
    return this.store.admit(this.addressOf(address));
  }

  /** What a subject is told when its request is not counted. */
  peek(subject: Subject): Promise<Admission> {
    return this.store.peek(subject);
  }

  /** The budget of a key: the numbers of its plan, or its own where the plan is custom. */
  budgetOf({ budget }: ApiKey): Subject {
    const limits = limitsOf(budget, this.plans);
    if (limits === undefined)
      throw new Error(`The budget ${budget.id} has the custom plan ${budget.plan} without its two numbers.`);
    return { kind: 'budget', id: budget.id, limits };
  }

  /** The address of a client: IPv4-mapped IPv6 counts as IPv4, and an IPv6 network of 2^72 addresses (/56) as one. */
  addressOf(address: string | undefined): Subject {
    const id = ipKeyGenerator(address ?? '');
    return { kind: 'address', id, limits: { requestsPerMinute: this.addressLimits.requestsPerMinute } };
  }

  private async decide(name: string): Promise<boolean> {
    const asked = this.asked.get(name);
    if (asked === undefined) throw new Error('express-rate-limit asked about a request that is not being decided.');
    asked.admission = await this.store.admit(asked.subject);
    return asked.admission.refusedBy === undefined;
  }
}

/** What an address may do. @throws TypeError if the contract has no numbers for it. */
export function addressPlanOf(document: ContractDocument): PlanLimits {
  const plan = document['x-rate-limit-plans'][document['x-rate-limit-address-plan']];
  if (plan === 'custom') throw new TypeError('x-rate-limit-address-plan names a plan without numbers.');
  return plan;
}

interface Asked {
  readonly subject: Subject;
  admission?: Admission;
}
