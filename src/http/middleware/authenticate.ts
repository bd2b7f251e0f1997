import type { RequestHandler } from 'express';
import type { Authenticator, Identity } from '../../api-keys/authenticator.js';
import { type Exchange, exchangeOf } from '../request-context.js';
import { clientAddressOf } from './client-address.js';
import type { RateLimiter } from './rate-limiter.js';

/**
 * Looks the API key up, and decides whose limits the request counts against: those of a valid key or, without one, of
 * the client address. It rejects nothing: some operations need no key, and a rejected request counts too.
 */
export function authenticate(authenticator: Authenticator, limiter: RateLimiter): RequestHandler {
  const accept = (exchange: Exchange, identity: Identity) => {
    exchange.identity = identity;
    if (typeof identity === 'string') exchange.subject = limiter.addressOf(clientAddressOf(exchange.request));
    else {
      exchange.keyId = identity.id;
      exchange.subject = limiter.budgetOf(identity);
    }
  };
  return (request, _response, next) => {
    const exchange = exchangeOf(request);
    const identified = authenticator.identify(request.headers.authorization);
    if (identified instanceof Promise) {
      return identified.then((identity) => {
        accept(exchange, identity);
        next();
      });
    }
    accept(exchange, identified);
    next();
    return undefined;
  };
}
