import type { Request, RequestHandler } from 'express';
import { ipKeyGenerator, MemoryStore, type RateLimitInfo, rateLimit, type Store } from 'express-rate-limit';
import type { ContractDocument, PlanLimits } from '../openapi/document.js';
import { type Decision, minuteMs } from '../rate-limits/decide.js';
import { clientAddressOf, isTrustedProxy } from './middleware/client-address.js';
import { rateLimitError } from './rate-limit-headers.js';
import { requireContext } from './request-context.js';

type Hits = Awaited<ReturnType<Store['increment']>>;

/**
 * The rate limit of requests without a valid API key: a minute window per client address, in the memory of this node.
 * IPv4-mapped IPv6 counts as IPv4, and an IPv6 network of 2^72 addresses (/56) as one.
 */
export class AddressLimit {
  /** express-rate-limit. Rejects with 429 `rate_limit_exceeded`; skips requests that have a quota. */
  readonly middleware: RequestHandler;

  constructor(
    private readonly requestsPerMinute: number,
    /** Called with each decision about a counted request. */
    private readonly onDecision: (decision: Decision) => void = () => undefined,
    private readonly store: Store = new MemoryStore(),
  ) {
    const limiter = rateLimit({
      windowMs: minuteMs,
      limit: requestsPerMinute,
      store,
      keyGenerator: (request) => keyOf(clientAddressOf(request)),
      // `sendResponse` writes the headers, which are the same as those of an API key.
      legacyHeaders: false,
      standardHeaders: false,
      handler: (request, _response, next) => {
        closeUnlessProxied(request);
        next();
      },
    });
    this.middleware = (request, response, next) => {
      const context = requireContext(request);
      if (context.quota !== undefined) {
        next();
        return undefined;
      }
      return limiter(request, response, () => {
        const decision = minuteDecision(infoOf(request));
        context.decision = decision;
        this.onDecision(decision);
        next(decision.rejectedBy && rateLimitError(decision));
      });
    };
  }

  /** Counts malformed HTTP, which never reaches Express. It keeps its own status, so nothing is rejected. */
  async count(address: string | undefined): Promise<Decision> {
    const decision = this.decisionAbout(await this.store.increment(keyOf(address)));
    this.onDecision(decision);
    return decision;
  }

  /** The state of the window, for the headers of a response to a request that is not counted. */
  async peek(address: string | undefined): Promise<Decision> {
    const hits = await this.store.get?.(keyOf(address));
    return this.decisionAbout(hits ?? { totalHits: 0, resetTime: undefined });
  }

  private decisionAbout({ totalHits, resetTime }: Hits): Decision {
    const limit = this.requestsPerMinute;
    const decision = minuteDecision({ limit, remaining: Math.max(0, limit - totalHits), used: totalHits, resetTime });
    return { ...decision, rejectedBy: undefined };
  }
}

/** The decision of express-rate-limit about a request, which is rejected if more than the limit are counted. */
export function minuteDecision({ limit, used, remaining, resetTime }: Omit<RateLimitInfo, 'key'>): Decision {
  const now = Date.now();
  const resetAt = resetTime?.getTime() ?? now + minuteMs;
  const minute = { name: 'minute', limit, lengthMs: minuteMs, remaining, resetAt } as const;
  return { rejectedBy: used > limit ? 'minute' : undefined, minute, decidedAt: now };
}

/** What express-rate-limit has found out about a request. */
export function infoOf(request: Request): RateLimitInfo {
  return (request as Request & { readonly rateLimit: RateLimitInfo }).rateLimit;
}

export function keyOf(address: string | undefined): string {
  return ipKeyGenerator(address ?? '');
}

/**
 * Closes the connection after a 429 to a client without a valid API key: to connect again costs the client more than
 * the response costs the service.
 */
export function closeUnlessProxied(request: Request): void {
  if (!isTrustedProxy(request.app, request.socket.remoteAddress)) requireContext(request).closesConnection = true;
}

/** The plan whose minute limit applies to client addresses. @throws TypeError if it is custom or unknown. */
export function requireAddressPlan(document: ContractDocument): PlanLimits {
  const name = document['x-rate-limit-address-plan'];
  const plans = document['x-rate-limit-plans'];
  const plan = Object.hasOwn(plans, name) ? plans[name] : 'custom';
  if (plan === 'custom') throw new TypeError(`x-rate-limit-address-plan: ${name} is not a plan with limits.`);
  return plan;
}
