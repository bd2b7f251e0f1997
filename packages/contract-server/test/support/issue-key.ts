import type { ApiKeyService, IssuedKey } from '#src/api-keys/api-key-service.js';

/** Issues a key on a plan, or with its own limits per minute and day. */
export function issueKey(
  { stores: { apiKeyService } }: { readonly stores: { readonly apiKeyService: ApiKeyService } },
  plan: string | readonly [requestsPerMinute: number, requestsPerDay: number],
  expiresAt?: number,
): Promise<IssuedKey> {
  if (typeof plan === 'string') return apiKeyService.create({ name: 'key', plan, limits: undefined, expiresAt });
  const limits = { requestsPerMinute: plan[0], requestsPerDay: plan[1] };
  return apiKeyService.create({ name: 'key', plan: 'enterprise', limits, expiresAt });
}
