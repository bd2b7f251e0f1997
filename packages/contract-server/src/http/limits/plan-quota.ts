import type { ErrorRequestHandler, RequestHandler } from 'express';
import type { QuotaStore } from '../../rate-limits/quota-store.js';
import { requireContext } from '../request-context.js';
import { clientAddressOf } from '../wire/client-address.js';
import { type AddressLimit, type OnDecision } from './address-limit.js';
import { findRateLimitError } from './rate-limit-headers.js';

/**
 * Counts a request against the quota of its caller, such as the owner of an API key. Minute, day and ban are decided in
 * one step, which no store of express-rate-limit can do. Rejects with 429.
 */
export function planQuota(quotas: Pick<QuotaStore, 'consume'>, onDecision: OnDecision): RequestHandler {
  return async (request, _response, next) => {
    const context = requireContext(request);
    const { quota } = context;
    if (quota?.limits === undefined) {
      next();
      return;
    }
    context.decision = await quotas.consume(quota);
    onDecision(context.decision, quota.id);
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
    if (quota === undefined) context.decision ??= await addressLimit.peek(clientAddressOf(request));
    else if (quota.limits !== undefined) context.decision ??= await quotas.peek(quota);
    next(error);
  };
}
