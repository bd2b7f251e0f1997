import { ownPaths } from '@contract-server/core/contract/own-paths.js';
import { ApiError, malformedUrl } from '@contract-server/core/lib/errors.js';
import { truncate } from '@contract-server/core/schema/validation-messages.js';

/** 404: no route matches the path; or 400, if it cannot be decoded. @param hasReference whether /docs is served. */
export function routeNotFound(method: string, path: string, hasReference: boolean): ApiError {
  try {
    decodeURIComponent(path);
  } catch {
    return malformedUrl();
  }
  const advice = hasReference ? ` See ${ownPaths.docs} for the available paths.` : '';
  return new ApiError('route_not_found', `No route matches ${method} ${truncate(path)}.${advice}`);
}

/** 405. @param allow the methods of the path, as in the `Allow` header. */
export function methodNotAllowed(allow: string): ApiError {
  return new ApiError('method_not_allowed', `This path supports only ${allow}.`, { headers: { Allow: allow } });
}
