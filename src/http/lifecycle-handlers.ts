import type { Clock } from '../lib/clock.js';
import { ApiError } from '../lib/errors.js';
import type { CompiledOperation } from '../openapi/compiled-router.js';
import { malformedUrlKeyword } from '../openapi/compiled-validator.js';
import { isAuthorized, type LifecycleHandlers, type RequestState } from '../openapi/create-api.js';
import { isRemoved } from '../openapi/deprecation.js';
import { type ContractDocument, realmOf } from '../openapi/document.js';
import { describeErrors } from '../openapi/validation-messages.js';
import type { ErrorResponses } from './middleware/error-handler.js';
import { methodNotAllowed } from './middleware/method-not-allowed.js';
import { routeNotFound } from './middleware/not-found.js';
import type { HttpResponse } from './request-context.js';

/**
 * openapi-backend's handlers for requests that reach no operation handler. They return the response to send: an error
 * that is thrown passes through three promises of the library, which takes 2 to 9 µs.
 */
export function createLifecycleHandlers(
  document: ContractDocument,
  clock: Clock,
  errors: ErrorResponses,
): LifecycleHandlers {
  const realm = realmOf(document);
  return {
    notFound: ({ request: { method, path } }) => errors.from(routeNotFound(method, path)),
    methodNotAllowed: ({ request: { method } }, { match }): HttpResponse => {
      const allow = match?.kind === 'method not allowed' ? match.allow : '';
      if (method === 'OPTIONS') return { status: 204, headers: { Allow: allow } };
      return errors.from(methodNotAllowed(allow));
    },
    unauthorizedHandler: (_context, { authentication }) => errors.from(unauthorized(realm, authentication)),
    // Throws, because openapi-backend ignores the return value of this handler. 401 takes precedence over 410.
    postSecurityHandler: ({ operation }, state) => {
      const compiled = operation as CompiledOperation;
      if (isAuthorized(state, compiled) && isRemoved(compiled.deprecation, clock())) throw operationRemoved(compiled);
    },
    validationFail: ({ validation }) => errors.from(invalidRequest(validation.errors ?? [])),
    notImplemented: ({ operation: { operationId = '' } }) =>
      errors.from(new ApiError('not_implemented', `${operationId} is not implemented. Do not call it yet.`)),
  };
}

/** 401, with a challenge that has `error` only if a key was sent (RFC 6750, section 3). */
function unauthorized(realm: string, authentication: RequestState['authentication']): ApiError {
  const challenge = `Bearer realm="${realm}"`;
  return authentication === 'invalid key'
    ? new ApiError(
        'invalid_api_key',
        'The API key is invalid. Check that it is complete and belongs to this environment, or request a new one ' +
          'from the operator.',
        { headers: { 'WWW-Authenticate': `${challenge}, error="invalid_token"` } },
      )
    : new ApiError('missing_api_key', 'Send your API key: Authorization: Bearer <API_KEY>.', {
        headers: { 'WWW-Authenticate': challenge },
      });
}

/** 400: the request does not match the contract. */
function invalidRequest(errors: Parameters<typeof describeErrors>[0]): ApiError {
  return errors[0]?.keyword === malformedUrlKeyword
    ? new ApiError('malformed_url', 'The URL has an invalid percent-encoding. Encode a percent sign as %25.')
    : new ApiError('invalid_request', describeErrors(errors));
}

/** 410. */
function operationRemoved({ operationId, deprecation }: CompiledOperation): ApiError {
  const day = new Date(deprecation?.sunsetAt ?? 0).toISOString().slice(0, 10);
  return new ApiError(
    'operation_removed',
    `${operationId} was removed on ${day}. Use ${String(deprecation?.successor)} instead.`,
  );
}
