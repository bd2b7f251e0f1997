import type { Contract } from '@contract-server/core/contract/contract.js';
import { type ApiKey, findLimits, isUsable } from '../../api-keys/api-key.js';
import type { Invocation } from '../invocation.js';
import { type Column, formatCount, formatTime, renderTable } from './format.js';

/** A key in JSON: times are ISO 8601, or `null` if they are unset. Fields may be added. */
export type KeyView = ReturnType<typeof viewKey>;

export function viewKey(key: ApiKey, { context, contract }: Invocation) {
  return {
    ...viewQuota(key, contract),
    state: stateOf(key, context.clock()),
    createdAt: new Date(key.createdAt).toISOString(),
    expiresAt: isoTimeOrNull(key.expiresAt),
    revokedAt: isoTimeOrNull(key.revokedAt),
    rotatedAt: isoTimeOrNull(key.rotatedAt),
    lastUsedAt: isoTimeOrNull(key.lastUsedAt),
  };
}

/** Keys with the same quota share its requests. */
export function viewQuota({ id, name, quota }: ApiKey, { plans }: Pick<Contract, 'plans'>) {
  const { requestsPerMinute = null, requestsPerDay = null } = findLimits(quota, plans) ?? {};
  return { id, name, plan: quota.plan, requestsPerMinute, requestsPerDay, quotaId: quota.id };
}

const columns: readonly Column<KeyView>[] = [
  { heading: 'ID', cell: ({ id }) => id },
  { heading: 'NAME', cell: ({ name }) => name },
  { heading: 'PLAN', cell: ({ plan }) => plan },
  { heading: 'PER MINUTE', align: 'right', cell: ({ requestsPerMinute }) => formatCount(requestsPerMinute) },
  { heading: 'PER DAY', align: 'right', cell: ({ requestsPerDay }) => formatCount(requestsPerDay) },
  { heading: 'STATE', cell: ({ state }) => state },
  { heading: 'CREATED', cell: ({ createdAt }) => formatTime(createdAt) },
  { heading: 'EXPIRES', cell: ({ expiresAt }) => formatTime(expiresAt) },
  { heading: 'LAST USED', cell: ({ lastUsedAt }) => formatTime(lastUsedAt) },
];

export function renderKeys(keys: readonly KeyView[]): string {
  return renderTable(columns, keys);
}

/** `300 requests per minute and 10,000 per day` */
export function describeLimits({ requestsPerMinute, requestsPerDay }: KeyView): string {
  return `${formatCount(requestsPerMinute)} requests per minute and ${formatCount(requestsPerDay)} per day`;
}

export function isoTimeOrNull(instant: number | undefined): string | null {
  return instant === undefined ? null : new Date(instant).toISOString();
}

function stateOf(key: ApiKey, now: number): 'active' | 'expired' | 'revoked' {
  if (key.revokedAt !== undefined) return 'revoked';
  return isUsable(key, now) ? 'active' : 'expired';
}
