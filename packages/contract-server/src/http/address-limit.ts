import type { Application, Request, RequestHandler } from 'express';
import { ipKeyGenerator, MemoryStore, type Options, type RateLimitInfo, rateLimit } from 'express-rate-limit';
import { addressPlanOf, type ContractDocument, plansOf } from '../openapi/document.js';
import { type Decision, minuteMs } from '../rate-limits/decide.js';
import { clientAddressOf } from './client-address.js';
import { findRateLimitError } from './rate-limit-headers.js';
import { requireContext } from './request-context.js';

/** Called with each decision about a counted request; without the id of a quota for a client address. */
export type OnDecision = (decision: Decision, quotaId?: string) => void;

/**
 * The rate limit of requests without a valid API key: a minute window per client address, in the memory of this node.
 * IPv4-mapped IPv6 counts as IPv4, and an IPv6 network of 2^72 addresses (/56) as one.
 */
export class AddressLimit {
  /** Rejects with 429 `rate_limit_exceeded`. Requests that have a quota pass. */
  readonly middleware: RequestHandler;

  /** `undefined`: no limit. */
  private readonly requestsPerMinute: number | undefined;
  private readonly store = new MemoryStore();

  /** @param isSkipped whether nothing is counted, as by a mock: each request is the first one of its address. */
  constructor(
    contract: ContractDocument,
    private readonly onDecision: OnDecision,
    private readonly isSkipped = false,
  ) {
    const limit = requestsPerMinuteOf(contract);
    this.requestsPerMinute = limit;
    const limiter = limitAddresses({ limit: limit ?? 0, store: this.store, skip: () => isSkipped });
    this.middleware = (request, response, next) => {
      const context = requireContext(request);
      if (limit === undefined || context.quota !== undefined) {
        next();
        return undefined;
      }
      return limiter(request, response, (error?: unknown) => {
        onDecision(context.decision ?? setDecision(request, limit));
        next(error);
      });
    };
  }

  /** Counts malformed HTTP, which never reaches Express. It keeps its own status, so nothing is rejected. */
  async count(address: string | undefined): Promise<Decision | undefined> {
    if (this.requestsPerMinute === undefined || this.isSkipped) return this.peek(address);
    const { totalHits, resetTime } = await this.store.increment(keyOf(address));
    const decision = { ...minuteDecision(this.requestsPerMinute, totalHits, resetTime), rejectedBy: undefined };
    this.onDecision(decision);
    return decision;
  }

  /** The state of the window, for the headers of a response to a request that is not counted. */
  async peek(address: string | undefined): Promise<Decision | undefined> {
    if (this.requestsPerMinute === undefined) return undefined;
    const hits = await this.store.get(keyOf(address));
    return { ...minuteDecision(this.requestsPerMinute, hits?.totalHits, hits?.resetTime), rejectedBy: undefined };
  }
}

/** Requests per minute of a client address. */
export const documentRequestsPerMinute = 600;

/**
 * Limits how many documents a client address downloads in a minute: they need no API key, and each is large. Counted in
 * memory, by this node alone; IPv6 addresses by /56. Rejects with 429 `rate_limit_exceeded`.
 */
export function documentLimit(): RequestHandler {
  // A 304 costs almost nothing.
  return limitAddresses({ limit: documentRequestsPerMinute, skip: ({ fresh }) => fresh });
}

/** express-rate-limit with a minute window for each client address. */
function limitAddresses({ limit, ...options }: Partial<Options> & { readonly limit: number }): RequestHandler {
  return rateLimit({
    windowMs: minuteMs,
    limit,
    keyGenerator: (request) => keyOf(clientAddressOf(request)),
    // `sendResponse` writes the headers, which are the same as those of an API key.
    legacyHeaders: false,
    standardHeaders: false,
    handler: (request, _response, next) => next(findRateLimitError(setDecision(request, limit))),
    ...options,
  });
}

/**
 * Adds the decision of express-rate-limit about a request to its context. After a 429 to a client without a valid API
 * key the connection is closed: to connect again costs the client more than the response costs the service.
 */
function setDecision(request: Request, limit: number): Decision {
  // A request that it skips has none.
  const { rateLimit: info } = request as Request & { readonly rateLimit?: RateLimitInfo };
  const context = requireContext(request);
  const decision = minuteDecision(limit, info?.used, info?.resetTime);
  context.decision = decision;
  if (decision.rejectedBy !== undefined && !isTrustedProxy(request.app, request.socket.remoteAddress))
    context.closesConnection = true;
  return decision;
}

/** Rejects a request if more than the limit are counted. */
function minuteDecision(limit: number, used = 0, resetTime?: Date): Decision {
  // By the clock of `MemoryStore`.
  const now = Date.now();
  const resetAt = resetTime?.getTime() ?? now + minuteMs;
  const minute = { name: 'minute', limit, lengthMs: minuteMs, remaining: Math.max(0, limit - used), resetAt } as const;
  return { rejectedBy: used > limit ? 'minute' : undefined, minute, decidedAt: now };
}

function keyOf(address = ''): string {
  return ipKeyGenerator(address);
}

/** The requests per minute of the plan that applies to client addresses; `undefined` if it has no limits of its own. */
function requestsPerMinuteOf(document: ContractDocument): number | undefined {
  const plan = plansOf(document)[addressPlanOf(document)];
  return typeof plan === 'object' ? plan.requestsPerMinute : undefined;
}

/** Whether connections from an address are those of a trusted proxy. */
export function isTrustedProxy(app: Application, address = ''): boolean {
  return (app.get('trust proxy fn') as (address: string, hop: number) => boolean)(address, 0);
}
