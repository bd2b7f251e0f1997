import type { BanRules } from '#src/openapi/document.js';
import { contractUrl, readContract } from '#src/openapi/load-contract.js';
import { type Decision, decide, type Limits, newQuotaState } from '#src/rate-limits/decide.js';

const { document } = await readContract(contractUrl);

export const rules: BanRules = document['x-rate-limit-bans'];
export const free = document['x-rate-limit-plans'].free as Required<Limits> & { requestsPerDay: number };
export const start = Date.parse('2026-11-20T12:00:00Z');

/** A quota with a clock that the test sets. */
export function createQuota(limits: Limits) {
  const state = newQuotaState();
  const at = { now: start };
  return { state, at, request: () => decide(state, limits, rules, at.now) };
}

/** The reason of each rejection of `count` requests at one instant, or `allowed`. */
export function decisionsOf(request: () => Decision, count: number): string[] {
  return Array.from({ length: count }, () => request().rejectedBy ?? 'allowed');
}
