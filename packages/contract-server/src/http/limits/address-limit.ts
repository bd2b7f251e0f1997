import type { Contract } from '@contract-server/core/contract/contract.js';
import type { ApiError } from '@contract-server/core/lib/errors.js';
import type { Request, RequestHandler } from 'express';
import { ipKeyGenerator } from 'express-rate-limit';
import { type Decision, minuteMs, type OperationDecision } from '../../rate-limits/decide.js';
import { requireContext } from '../request-context.js';
import { clientAddressOf, isTrustedProxy } from '../wire/client-address.js';
import { type Counted, limitRequests, WindowStore, windowStatusOf } from './limit-requests.js';
import { findRateLimitError } from './rate-limit-headers.js';

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
  private readonly store = new WindowStore();

  /** @param isSkipped whether nothing is counted, as by a mock: each request is the first one of its address. */
  constructor(
    contract: Contract,
    private readonly onDecision: OnDecision,
    private readonly isSkipped = false,
  ) {
    const limit = requestsPerMinuteOf(contract);
    this.requestsPerMinute = limit;
    const options = { limit: limit ?? 0, store: this.store, skip: () => isSkipped };
    const limiter = limitAddresses(options, (request, decision) => {
      requireContext(request).decision = decision;
      onDecision(decision);
    });
    this.middleware = (request, response, next) => {
      if (limit !== undefined && requireContext(request).quota === undefined) return limiter(request, response, next);
      next();
      return undefined;
    };
  }

  /** Counts malformed HTTP, which never reaches Express. It keeps its own status, so nothing is rejected. */
  async count(address: string | undefined): Promise<Decision | undefined> {
    if (this.requestsPerMinute === undefined || this.isSkipped) return this.peek(address);
    const { totalHits: used, resetTime } = await this.store.increment(addressKeyOf(address));
    const decision = { ...minuteDecision(this.requestsPerMinute, { used, resetTime }), rejectedBy: undefined };
    this.onDecision(decision);
    return decision;
  }

  /** The state of the window, for the headers of a response to a request that is not counted. */
  async peek(address: string | undefined): Promise<Decision | undefined> {
    if (this.requestsPerMinute === undefined) return undefined;
    const { totalHits: used, resetTime } = (await this.store.get(addressKeyOf(address))) ?? {};
    return { ...minuteDecision(this.requestsPerMinute, { used, resetTime }), rejectedBy: undefined };
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

/** A minute window for each client address. */
function limitAddresses(
  options: Pick<Parameters<typeof limitRequests>[0], 'store' | 'skip'> & { readonly limit: number },
  onDecision?: (request: Request, decision: Decision) => void,
): RequestHandler {
  const keyGenerator = (request: Request) => addressKeyOf(clientAddressOf(request));
  return limitRequests({ windowMs: minuteMs, keyGenerator, ...options }, (request, counted) => {
    const decision = minuteDecision(options.limit, counted);
    onDecision?.(request, decision);
    return rejectClient(request, decision);
  });
}

function minuteDecision(limit: number, counted: Counted): Decision {
  const { used = 0 } = counted;
  // By the clock of `MemoryStore`.
  const now = Date.now();
  const minute = windowStatusOf({ name: 'minute', limit, lengthMs: minuteMs }, counted, now);
  return { rejectedBy: used > limit ? 'minute' : undefined, minute, decidedAt: now };
}

/**
 * The 429 for a request that a decision rejects, with the headers of the decision. The connection of a client that was
 * not identified is closed, because connecting again costs the client more than the response costs the service.
 */
export function rejectClient(request: Request, decision: Decision | OperationDecision): ApiError | undefined {
  if (decision.rejectedBy === undefined) return undefined;
  const context = requireContext(request);
  context.decision = decision;
  if (context.firstCaller === undefined && !isTrustedProxy(request.app, request.socket.remoteAddress))
    context.closesConnection = true;
  return findRateLimitError(decision);
}

/** The key of a client address in a store. */
export function addressKeyOf(address = ''): string {
  return ipKeyGenerator(address);
}

/** The requests per minute of the plan that applies to client addresses; `undefined` if it has no limits of its own. */
function requestsPerMinuteOf({ plans, addressPlan }: Contract): number | undefined {
  const { [addressPlan]: plan } = plans;
  return typeof plan === 'object' ? plan.requestsPerMinute : undefined;
}
