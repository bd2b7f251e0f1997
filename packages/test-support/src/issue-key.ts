import type { ApiKeyService, IssuedKey } from 'contract-server/api-keys/api-key-service.js';

export interface StoresWithKeys {
  readonly apiKeys: { readonly service: ApiKeyService } | undefined;
}

/** Issues a key on a plan, or with its own limits per minute and day. */
export function issueKey(
  { stores: { apiKeys } }: { readonly stores: StoresWithKeys },
  plan: string | readonly [requestsPerMinute: number, requestsPerDay: number],
  expiresAt?: number,
): Promise<IssuedKey> {
  if (apiKeys === undefined) throw new TypeError('The service has no API keys.');
  if (typeof plan === 'string') return apiKeys.service.create({ name: 'key', plan, limits: undefined, expiresAt });
  const limits = { requestsPerMinute: plan[0], requestsPerDay: plan[1] };
  return apiKeys.service.create({ name: 'key', plan: 'enterprise', limits, expiresAt });
}
