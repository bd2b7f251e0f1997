import type { RequestHandler } from 'express';
import type { Plans } from '../../api-keys/api-key.js';
import type { AuthenticationResult, Authenticator } from '../../api-keys/authenticator.js';
import type { Clock } from '../../lib/clock.js';
import { ApiError } from '../../lib/errors.js';
import type { CompiledOperation } from '../../openapi/compiled-router.js';
import { type ContractDocument, isRemoved, realmOf } from '../../openapi/document.js';
import { requireContext } from '../request-context.js';
import { quotaOf } from './plan-quota.js';

/**
 * Looks up the API key, and finds the quota of a valid one. Without a valid key, the limit of the client address
 * applies. It rejects nothing, because some operations need no key, and a rejected request is counted too.
 */
export function authenticate(authenticator: Pick<Authenticator, 'identify'>, plans: Plans): RequestHandler {
  return (request, _response, next) => {
    const context = requireContext(request);
    const proceed = (authentication: AuthenticationResult) => {
      context.authentication = authentication;
      if (typeof authentication !== 'string') context.quota = quotaOf(authentication, plans);
      next();
    };
    const identified = authenticator.identify(request.headers.authorization);
    if (identified instanceof Promise) return identified.then(proceed);
    proceed(identified);
    return undefined;
  };
}

/**
 * Decides whether the client may call the operation, before the body is read. 401 takes precedence over 410. A request
 * that matches no operation passes: `serveOperation` rejects it.
 */
export function authorize(document: ContractDocument, clock: Clock): RequestHandler {
  const realm = realmOf(document);
  return (request, _response, next) => {
    const context = requireContext(request);
    const { match, authentication } = context;
    if (match?.kind === 'operation') {
      const { operation } = match;
      if (operation.requiresKey && typeof authentication !== 'object') throw unauthorized(realm, authentication);
      if (isRemoved(operation.deprecation, clock())) throw operationRemoved(operation);
      context.isAuthorized = true;
    }
    next();
  };
}

/** 401, with a challenge that has `error` only if a key was sent (RFC 6750, section 3). */
function unauthorized(realm: string, authentication: AuthenticationResult | undefined): ApiError {
  const challenge = `Bearer realm="${realm}"`;
  if (authentication !== 'invalid key') {
    const headers = { 'WWW-Authenticate': challenge };
    return new ApiError('missing_api_key', 'Send your API key: Authorization: Bearer <API_KEY>.', { headers });
  }
  const message =
    'The API key is invalid. Check that it is complete and belongs to this environment, or request a new one from ' +
    'the operator.';
  const headers = { 'WWW-Authenticate': `${challenge}, error="invalid_token"` };
  return new ApiError('invalid_api_key', message, { headers });
}

/** 410. */
function operationRemoved({ operationId, deprecation }: CompiledOperation): ApiError {
  const day = new Date(deprecation?.sunsetAt ?? 0).toISOString().slice(0, 10);
  const { successor } = deprecation ?? {};
  const message = `${operationId} was removed on ${day}.${successor === undefined ? '' : ` Use ${successor} instead.`}`;
  return new ApiError('operation_removed', message);
}
