import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import { rateLimit as expressRateLimit, ipKeyGenerator, type Store } from 'express-rate-limit';
import { type ApiKey, findLimits, type Plans } from '../../api-keys/api-key.js';
import type { ContractDocument, PlanLimits } from '../../openapi/document.js';
import type { Decision } from '../../rate-limits/decide.js';
import type { RateLimitClient, RateLimitStore } from '../../rate-limits/rate-limit-store.js';
import { requireClient, requireContext } from '../request-context.js';
import { clientAddressOf, isTrustedProxy } from './client-address.js';
import { rateLimitError } from './rate-limit-headers.js';

/**
 * express-rate-limit, with minute, day and ban decided in one step. Its store can report only one window, so `limit`,
 * which receives the request, makes the decision: it returns 1 to allow the request and 0 to reject it. The store
 * always reports 1 hit.
 */
export function rateLimit(rateLimiter: RateLimiter): RequestHandler {
  return expressRateLimit({
    keyGenerator: (request) => requireClient(request).id,
    store: constantStore(),
    limit: async (request) => {
      const decision = await rateLimiter.consume(requireClient(request));
      requireContext(request).decision = decision;
      return decision.rejectedBy === undefined ? 1 : 0;
    },
    handler: (request, response, next) => {
      if (requireClient(request).kind === 'address') closeUnlessProxied(request, response);
      next(rateLimitError(requireContext(request).decision));
    },
    // `sendResponse` writes the headers of both windows to every response under the path prefix.
    legacyHeaders: false,
    standardHeaders: false,
    // This validation warns about a limit of 0, which meant no limit in earlier versions of the library.
    validate: { limit: false },
  });
}

/**
 * Runs before `errorHandler`: reads the limits of the client of a request that was not counted, for example because its
 * API key could not be looked up.
 */
export function peekRateLimit(rateLimiter: RateLimiter): ErrorRequestHandler {
  return async (error: unknown, request, _response, next) => {
    const context = requireContext(request);
    context.decision ??= await rateLimiter.peek(
      context.client ?? rateLimiter.clientOfAddress(clientAddressOf(request)),
    );
    next(error);
  };
}

/**
 * Closes the connection after a 429 to a client without a valid API key: to connect again costs the client more than
 * the response costs the service.
 */
export function closeUnlessProxied({ app, socket }: Request, response: Response): void {
  if (!isTrustedProxy(app, socket.remoteAddress)) response.shouldKeepAlive = false;
}

function constantStore(): Store {
  return {
    increment: () => ({ totalHits: 1, resetTime: undefined }),
    decrement: () => undefined,
    resetKey: () => undefined,
  };
}

/** Counts requests against the limits of their clients. */
export class RateLimiter {
  constructor(
    private readonly store: RateLimitStore,
    private readonly plans: Plans,
    /** The plan whose minute limit applies to an address without a valid key. */
    private readonly addressLimits: PlanLimits,
  ) {}

  /** Decides about a request and counts it, in one atomic step. */
  consume(client: RateLimitClient): Promise<Decision> {
    return this.store.consume(client);
  }

  /** The limits of a client, for the response to a request that is not counted. */
  peek(client: RateLimitClient): Promise<Decision> {
    return this.store.peek(client);
  }

  /** The quota of a key: the limits of its plan, or its own if the plan is custom. */
  clientOfKey({ quota }: ApiKey): RateLimitClient {
    const limits = findLimits(quota, this.plans);
    if (limits === undefined)
      throw new Error(`The quota ${quota.id} has the custom plan ${quota.plan} without its two limits.`);
    return { kind: 'quota', id: quota.id, limits };
  }

  /** The address of a client: IPv4-mapped IPv6 counts as IPv4, and an IPv6 network of 2^72 addresses (/56) as one. */
  clientOfAddress(address: string | undefined): RateLimitClient {
    const id = ipKeyGenerator(address ?? '');
    return { kind: 'address', id, limits: { requestsPerMinute: this.addressLimits.requestsPerMinute } };
  }
}

/** The plan whose minute limit applies to client addresses. @throws TypeError if it is custom or unknown. */
export function requireAddressPlan(document: ContractDocument): PlanLimits {
  const name = document['x-rate-limit-address-plan'];
  const plans = document['x-rate-limit-plans'];
  const plan = Object.hasOwn(plans, name) ? plans[name] : 'custom';
  if (plan === 'custom') throw new TypeError(`x-rate-limit-address-plan: ${name} is not a plan with limits.`);
  return plan;
}
