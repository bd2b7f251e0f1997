import type { Contract } from '@contract-server/core/contract/contract.js';
import type { Plans } from '@contract-server/core/contract/document.js';
import type { Caller } from '@contract-server/core/types/types.js';
import type { SchemeHandler } from '../http/security/security.js';
import { type ApiKey, findLimits } from './api-key.js';
import type { Authenticator } from './authenticator.js';

/** Identifies the owners of API keys. An API key has no scopes. */
export function apiKeySecurity(
  { plans }: Pick<Contract, 'plans'>,
  authenticator: Pick<Authenticator, 'identify'>,
): SchemeHandler {
  const toCaller = (key: ApiKey | undefined) => key && callerOf(key, plans);
  const identify = (token: string) => {
    const key = authenticator.identify(token);
    return key instanceof Promise ? key.then(toCaller) : toCaller(key);
  };
  return { identify, hasApiKeys: true };
}

const noScopes: readonly string[] = [];

/** The owner of an API key. */
export interface ApiKeyCaller extends Caller {
  /** The name of the key. */
  readonly name: string;
  readonly scopes: readonly string[];
}

/**
 * The caller with an API key. Its quota has the limits of its plan, or its own if the plan is custom.
 *
 * @throws Error if these are missing.
 */
function callerOf({ id, name, quota }: ApiKey, plans: Plans): ApiKeyCaller {
  const limits = findLimits(quota, plans);
  if (limits === undefined && plans[quota.plan] !== 'unlimited')
    throw new Error(`The quota ${quota.id} has the custom plan ${quota.plan} without its two limits.`);
  return { id, name, scopes: noScopes, quota: { id: quota.id, limits } };
}
