import type { RequestHandler } from 'express';
import type { AuthenticationResult, Authenticator } from '../../api-keys/authenticator.js';
import { type RequestContext, requireContext } from '../request-context.js';
import { clientAddressOf } from './client-address.js';
import type { RateLimiter } from './rate-limit.js';

/**
 * Looks up the API key and identifies the client whose limits apply: the quota of a valid key or, without one, the
 * client address. It rejects nothing, because some operations need no key, and a rejected request is counted too.
 */
export function authenticate(authenticator: Pick<Authenticator, 'identify'>, rateLimiter: RateLimiter): RequestHandler {
  const setClient = (context: RequestContext, authentication: AuthenticationResult) => {
    context.authentication = authentication;
    context.client =
      typeof authentication === 'string'
        ? rateLimiter.clientOfAddress(clientAddressOf(context.request))
        : rateLimiter.clientOfKey(authentication);
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
