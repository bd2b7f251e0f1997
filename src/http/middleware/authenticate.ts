import type { RequestHandler } from 'express';
import type { Plans } from '../../api-keys/api-key.js';
import type { AuthenticationResult, Authenticator } from '../../api-keys/authenticator.js';
import { type RequestContext, requireContext } from '../request-context.js';
import { quotaOf } from './plan-quota.js';

/**
 * Looks up the API key, and finds the quota of a valid one. Without a valid key, the limit of the client address applies.
 * It rejects nothing, because some operations need no key, and a rejected request is counted too.
 */
export function authenticate(authenticator: Pick<Authenticator, 'identify'>, plans: Plans): RequestHandler {
  const setClient = (context: RequestContext, authentication: AuthenticationResult) => {
    context.authentication = authentication;
    if (typeof authentication !== 'string') context.quota = quotaOf(authentication, plans);
  };
  return (request, _response, next) => {
    const context = requireContext(request);
    const identified = authenticator.identify(request.headers.authorization);
    if (identified instanceof Promise) {
      return identified.then((authentication) => {
        setClient(context, authentication);
        next();
      });
    }
    setClient(context, identified);
    next();
    return undefined;
  };
}
