import type { Clock } from '../lib/clock.js';
import { ApiError } from '../openapi/api-error.js';
import type { CompiledOperation } from '../openapi/compiled-router.js';
import { malformedUrlKeyword } from '../openapi/compiled-validator.js';
import type { LifecycleHandlers, RequestDetails } from '../openapi/create-api.js';
import { isRemoved } from '../openapi/deprecation.js';
import { describeErrors } from '../openapi/validation-messages.js';
import type { ErrorResponses } from './error-responses.js';
import { contractPath } from './links.js';
import type { HttpResponse } from './request-context.js';

/** openapi-backend's handlers for requests that reach no operation handler. They return the response to send. */
export function createErrorHandlers(clock: Clock, errors: ErrorResponses): LifecycleHandlers {
  return {
    notFound: () => errors.from(routeNotFound()),
    methodNotAllowed: ({ request: { method } }, { match }): HttpResponse => {
      const allow = match.kind === 'method not allowed' ? match.allow : '';
      if (method === 'OPTIONS') return { status: 204, headers: { Allow: allow } };
      return errors.from(methodNotAllowed(allow));
    },
    unauthorizedHandler: (_context, { authentication }) => errors.from(unauthorized(authentication)),
    postSecurityHandler: ({ operation }, { authentication }) => {
      const compiled = operation as CompiledOperation;
      if (accessErrorOf(compiled, authentication === 'valid key', clock()) === 'removed')
        throw operationRemoved(compiled);
    },
    validationFail: ({ validation }) => errors.from(invalidRequest(validation.errors ?? [])),
    notImplemented: ({ operation: { operationId = '' } }) =>
      errors.from(new ApiError('not_implemented', `${operationId} is reserved and not implemented.`)),
  };
}

/** Why a client may not call an operation, if it may not: 401 comes before 410. */
export function accessErrorOf(
  { requiresKey, deprecation }: CompiledOperation,
  hasValidKey: boolean,
  now: number,
): 'unauthorized' | 'removed' | undefined {
  if (requiresKey && !hasValidKey) return 'unauthorized';
  return isRemoved(deprecation, now) ? 'removed' : undefined;
}

export function routeNotFound(): ApiError {
  return new ApiError('route_not_found', `There is no such path. Compare it with ${contractPath}.`);
}

export function methodNotAllowed(allow: string): ApiError {
  return new ApiError('method_not_allowed', `This path has only the methods ${allow}.`, { headers: { Allow: allow } });
}

/** RFC 6750, section 3: `error` only if a key was sent. */
function unauthorized(authentication: RequestDetails['authentication']): ApiError {
  const challenge = 'Bearer realm="petstore"';
  return authentication === 'missing key'
    ? new ApiError('missing_api_key', 'Send your API key: Authorization: Bearer <API_KEY>.', {
        headers: { 'WWW-Authenticate': challenge },
      })
    : new ApiError(
        'invalid_api_key',
        'The API key is not valid here. Check that it is complete and meant for this environment, or ask your operator for one.',
        { headers: { 'WWW-Authenticate': `${challenge}, error="invalid_token"` } },
      );
}

function invalidRequest(errors: Parameters<typeof describeErrors>[0]): ApiError {
  return errors[0]?.keyword === malformedUrlKeyword
    ? new ApiError('malformed_url', 'The address has a percent escape that cannot be decoded.')
    : new ApiError('invalid_request', describeErrors(errors));
}

function operationRemoved({ operationId, deprecation }: CompiledOperation): ApiError {
  const day = new Date(deprecation?.sunsetAt ?? 0).toISOString().slice(0, 10);
  return new ApiError(
    'operation_removed',
    `${operationId} was removed on ${day}. Use ${String(deprecation?.successor)} instead.`,
  );
}
