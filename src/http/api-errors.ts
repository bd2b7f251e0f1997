import { ApiError } from '../openapi/api-error.js';
import type { CompiledOperation } from '../openapi/compiled-router.js';
import { malformedUrlKeyword } from '../openapi/compiled-validator.js';
import type { RequestDetails } from '../openapi/create-api.js';
import { describeErrors, truncate } from '../openapi/validation-messages.js';

/** 404: no route matches the path. */
export function routeNotFound(method: string, path: string): ApiError {
  const message = `No route matches ${method} ${truncate(path)}. See /docs for the available paths.`;
  return new ApiError('route_not_found', message);
}

/** 405. @param allow the methods of the path, as in the `Allow` header. */
export function methodNotAllowed(allow: string): ApiError {
  return new ApiError('method_not_allowed', `This path supports only ${allow}.`, { headers: { Allow: allow } });
}

/** 401, with a challenge that has `error` only if a key was sent (RFC 6750, section 3). */
export function unauthorized(realm: string, authentication: RequestDetails['authentication']): ApiError {
  const challenge = `Bearer realm="${realm}"`;
  return authentication === 'missing key'
    ? new ApiError('missing_api_key', 'Send your API key: Authorization: Bearer <API_KEY>.', {
        headers: { 'WWW-Authenticate': challenge },
      })
    : new ApiError(
        'invalid_api_key',
        'The API key is invalid. Check that it is complete and belongs to this environment, or request a new one ' +
          'from the operator.',
        { headers: { 'WWW-Authenticate': `${challenge}, error="invalid_token"` } },
      );
}

/** 400: the request does not match the contract. */
export function invalidRequest(errors: Parameters<typeof describeErrors>[0]): ApiError {
  return errors[0]?.keyword === malformedUrlKeyword
    ? new ApiError('malformed_url', 'The URL has an invalid percent-encoding. Encode a percent sign as %25.')
    : new ApiError('invalid_request', describeErrors(errors));
}

/** 410. */
export function operationRemoved({ operationId, deprecation }: CompiledOperation): ApiError {
  const day = new Date(deprecation?.sunsetAt ?? 0).toISOString().slice(0, 10);
  return new ApiError(
    'operation_removed',
    `${operationId} was removed on ${day}. Use ${String(deprecation?.successor)} instead.`,
  );
}
