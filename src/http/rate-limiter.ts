import type { ServerResponse } from 'node:http';
import type { NextFunction, Request, Response } from 'express';
import { type ClientRateLimitInfo, ipKeyGenerator, rateLimit } from 'express-rate-limit';
import type { ContractDocument, PlanLimits } from '../contract/document.js';
import { type ApiKey, limitsOf, type Plans } from '../domain/api-keys.js';
import type { LimitStore, Subject } from '../domain/limit-store.js';
import type { Admission } from '../domain/limits.js';

/**
 * express-rate-limit, with both windows in one pass. Of a request it asks for nothing but the key, and of its store for nothing but a count, so it is
 * handed the question in the place of the request: the key names the question, the store decides about its subject, and leaves the whole
 * admission for whoever writes the headers. The library's own headers are off: two of its limiters would overwrite each other's.
 */
export class RateLimiter {
  private readonly questions = new Map<string, Question>();
  private nextName = 0;
  private readonly middleware = rateLimit({
    keyGenerator: (question) => (question as unknown as Question).name,
    store: {
      increment: (name) => this.decide(name),
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
  admit(subject: Subject, response: ServerResponse): Promise<Admission> {
    return new Promise((resolve, reject) => {
      const question = createQuestion(String((this.nextName += 1)), subject);
      this.questions.set(question.name, question);
      const next = (error?: Error) => {
        this.questions.delete(question.name);
        if (error !== undefined) reject(error);
        else if (question.admission !== undefined) resolve(question.admission);
        else reject(new Error('express-rate-limit did not ask its store.'));
      };
      void this.middleware(question as unknown as Request, response as Response, next as NextFunction);
    });
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

  /** One of one for a request that is admitted, else two of one. */
  private decide(name: string): Promise<ClientRateLimitInfo> {
    const question = this.questions.get(name);
    if (question === undefined) throw new Error('express-rate-limit asked about a request that is not being decided.');
    return this.store.admit(question.subject).then((admission) => {
      question.admission = admission;
      return { totalHits: admission.refusedBy === undefined ? 1 : 2, resetTime: undefined };
    });
  }
}

/** What an address may do. @throws TypeError if the contract has no numbers for it. */
export function addressPlanOf(document: ContractDocument): PlanLimits {
  const plan = document['x-rate-limit-plans'][document['x-rate-limit-address-plan']];
  if (plan === 'custom') throw new TypeError('x-rate-limit-address-plan names a plan without numbers.');
  return plan;
}

/** Whether a subject may do one request more, and what the library would read of that request, or add to it. */
interface Question {
  readonly name: string;
  readonly subject: Subject;
  admission: Admission | undefined;
  /** For its debug log. Express would find out about the address anew each time, and the answer is not used. */
  readonly ip: undefined;
  readonly originalUrl: undefined;
  rateLimit: unknown;
}

function createQuestion(name: string, subject: Subject): Question {
  return { name, subject, admission: undefined, ip: undefined, originalUrl: undefined, rateLimit: undefined };
}
