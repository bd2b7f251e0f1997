import { banRuleOf, type PlanLimits, plansOf } from '@contract-server/core/contract/document.js';
import { type Decision, decide, newQuotaState } from 'contract-server/rate-limits/decide.js';
import { toysContract } from '../contract/toys-contract.js';

const { document } = toysContract;

export const rule = banRuleOf(document);
export const free = plansOf(document)['free'] as PlanLimits;
export const start = Date.parse('2026-11-20T12:00:00Z');

/** A quota with a clock that the test sets. */
export function createQuota(limits: PlanLimits) {
  const state = { ...newQuotaState };
  const at = { now: start };
  const requestFor = (current: PlanLimits) => decide(state, current, rule, at.now);
  return { state, at, requestFor, request: () => requestFor(limits) };
}

/** The reason of each rejection, or `allowed`. */
export const reasonsOf = (decisions: readonly Decision[]) => decisions.map(({ rejectedBy }) => rejectedBy ?? 'allowed');

export const allowedCountOf = (decisions: readonly Decision[]) =>
  reasonsOf(decisions).filter((reason) => reason === 'allowed').length;

/** The number of requests after which the next one begins a ban. */
export const mostWithoutBan = ({ requestsPerMinute }: PlanLimits) =>
  (rule.rejectedRequestsFactor + 1) * requestsPerMinute;

/** Calls `request` this many times. */
export const repeat = <T>(count: number, request: () => T): T[] => Array.from({ length: count }, request);

/** The permissions that the documentation lists for a restricted user of Redis. */
export const permissions = '+eval +evalsha +hmget +hset +hdel +pexpire +time +ping +hello +select';
