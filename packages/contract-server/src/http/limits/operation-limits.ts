import type { Operation } from '@contract-server/core/contract/contract.js';
import type { OperationLimit } from '@contract-server/core/contract/extensions.js';
import type { Request, RequestHandler } from 'express';
import type { Decision, OperationDecision } from '../../rate-limits/decide.js';
import { requireContext } from '../request-context.js';
import { clientAddressOf } from '../wire/client-address.js';
import { addressKeyOf, rejectClient } from './address-limit.js';
import { limitRequests, windowStatusOf } from './limit-requests.js';

/**
 * Limits the requests of each caller to operations with `x-rate-limit`, in a fixed window, in the memory of this node.
 * Rejects with 429 `rate_limit_exceeded`. An allowed request keeps the rate-limit headers of its quota, if it has one,
 * and those of its client address if that has fewer requests remaining.
 *
 * @returns no middleware if no operation has a limit.
 */
export function operationLimits(operations: readonly Operation[]): RequestHandler[] {
  const limiters = new Map<string, RequestHandler>();
  for (const { id, limit } of operations) if (limit !== undefined) limiters.set(id, limiterOf(limit));
  if (limiters.size === 0) return [];
  return [
    (request, response, next) => {
      const { match } = requireContext(request);
      const limiter = match?.kind === 'operation' ? limiters.get(match.operation.operationId) : undefined;
      if (limiter !== undefined) return limiter(request, response, next);
      next();
      return undefined;
    },
  ];
}

function limiterOf({ requests: limit, seconds }: OperationLimit): RequestHandler {
  const windowMs = seconds * 1000;
  return limitRequests({ limit, windowMs, keyGenerator: callerKeyOf }, (request, counted) => {
    const context = requireContext(request);
    // By the clock of `MemoryStore`.
    const decidedAt = Date.now();
    const operation = windowStatusOf({ name: 'operation', limit, lengthMs: windowMs }, counted, decidedAt);
    const rejectedBy = (counted.used ?? 0) > limit ? 'operation' : undefined;
    const decision: OperationDecision = { rejectedBy, operation, decidedAt };
    if (context.quota?.limits === undefined && !hasFewerRemaining(context.decision, decision))
      context.decision = decision;
    return rejectClient(request, decision);
  });
}

/** Whether the limit of a client address has fewer requests remaining than that of an operation. */
function hasFewerRemaining(
  address: Decision | OperationDecision | undefined,
  { operation }: OperationDecision,
): boolean {
  return address !== undefined && 'minute' in address && address.minute.remaining < operation.remaining;
}

/** The quota of a request, otherwise its caller, otherwise its client address. */
function callerKeyOf(request: Request): string {
  const { quota, firstCaller } = requireContext(request);
  if (quota !== undefined) return `quota ${quota.id}`;
  return firstCaller === undefined ? addressKeyOf(clientAddressOf(request)) : `caller ${firstCaller.id}`;
}
