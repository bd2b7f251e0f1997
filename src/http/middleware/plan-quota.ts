import type { ErrorRequestHandler, RequestHandler } from 'express';
import type { Decision } from '../../rate-limits/decide.js';
import type { QuotaStore } from '../../rate-limits/quota-store.js';
import type { AddressLimit } from '../address-limit.js';
import { findRateLimitError } from '../rate-limit-headers.js';
import { requireContext } from '../request-context.js';
import { clientAddressOf } from './client-address.js';

/**
 * Counts a request against the quota of its caller, such as the owner of an API key. Minute, day and ban are decided in
 * one step, which no store of express-rate-limit can do. Rejects with 429.
 *
 * @param onDecision is called with each decision.
 */
export function planQuota(
  quotas: Pick<QuotaStore, 'consume'>,
  onDecision?: (decision: Decision, quotaId: string) => void,
): RequestHandler {
  return async (request, _response, next) => {
    const context = requireContext(request);
    const { quota } = context;
    if (quota?.limits === undefined) {
      next();
      return;
    }
    const decision = await quotas.consume(quota);
    context.decision = decision;
    onDecision?.(decision, quota.id);
    next(findRateLimitError(decision));
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
