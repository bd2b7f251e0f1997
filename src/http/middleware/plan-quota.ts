import type { ErrorRequestHandler, RequestHandler } from 'express';
import { type ApiKey, findLimits, type Plans } from '../../api-keys/api-key.js';
import type { Quota, QuotaStore } from '../../rate-limits/quota-store.js';
import type { AddressLimit } from '../address-limit.js';
import { findRateLimitError } from '../rate-limit-headers.js';
import { requireContext } from '../request-context.js';
import { clientAddressOf } from './client-address.js';

/**
 * Counts a request with a valid API key against the quota of the key. Minute, day and ban are decided in one step,
 * which no store of express-rate-limit can do. Rejects with 429.
 */
export function planQuota(quotas: Pick<QuotaStore, 'consume'>): RequestHandler {
  return async (request, _response, next) => {
    const context = requireContext(request);
    if (context.quota === undefined) {
      next();
      return;
    }
    context.decision = await quotas.consume(context.quota);
    next(findRateLimitError(context.decision));
  };
}

/**
 * Runs before `errorHandler`: reads the limits of the client of a request that was not counted, for example because its
 * API key could not be looked up.
 */
export function peekLimits(quotas: Pick<QuotaStore, 'peek'>, addressLimit: AddressLimit): ErrorRequestHandler {
  return async (error: unknown, request, _response, next) => {
    const context = requireContext(request);
    const { quota } = context;
    context.decision ??= await (quota === undefined ? addressLimit.peek(clientAddressOf(request)) : quotas.peek(quota));
    next(error);
  };
}

/** The quota of a key: the limits of its plan, or its own if the plan is custom. @throws Error if these are missing. */
export function quotaOf({ quota }: ApiKey, plans: Plans): Quota {
  const limits = findLimits(quota, plans);
  if (limits === undefined)
    throw new Error(`The quota ${quota.id} has the custom plan ${quota.plan} without its two limits.`);
  return { id: quota.id, limits };
}
