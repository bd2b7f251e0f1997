import type { Deprecation } from '@contract-server/core/contract/contract.js';
import type { Links } from '@contract-server/core/contract/links.js';
import { ownPaths } from '@contract-server/core/contract/own-paths.js';
import type { RequestHandler } from 'express';
import type { CompiledOperation } from '../../backend/compiled-operation.js';
import type { CompiledRouter } from '../../backend/compiled-router.js';
import { activeSpan } from '../../log/active-span.js';
import { type HttpResponse, requireContext } from '../request-context.js';

/**
 * Finds the operation of a request before anything else, because every response of a deprecated operation announces its
 * removal, even a 401.
 */
export function findOperation(router: CompiledRouter, links: Links, hasReference: boolean): RequestHandler {
  // Created with the first request, because the base URL is known only once the server listens.
  const headers = new Map<Deprecation, HttpResponse['headers']>();
  return (request, _response, next) => {
    const context = requireContext(request);
    const match = (context.match ??= router.match(request.method, context.path));
    if (match.kind === 'operation') {
      const { deprecation } = match.operation.declared;
      nameSpan(request.method, match.operation, request.baseUrl);
      if (deprecation !== undefined) {
        if (!headers.has(deprecation)) headers.set(deprecation, deprecationHeaders(deprecation, links, hasReference));
        context.deprecationHeaders = headers.get(deprecation);
      }
    }
    next();
  };
}

/**
 * Names the active span by the operation and its route, as the semantic conventions for HTTP define it. Does nothing
 * unless OpenTelemetry runs, which cannot know the routes of the contract.
 */
function nameSpan(method: string, { operationId, path }: CompiledOperation, basePath: string): void {
  const span = activeSpan();
  if (span === undefined) return;
  const route = `${basePath}${path}`;
  span.updateName(`${method} ${route}`).setAttributes({ 'http.route': route, 'openapi.operation_id': operationId });
}

/**
 * `Deprecation` (RFC 9745), `Sunset` (RFC 8594), and `Link` to the successor (RFC 5829) and, if it is served, to the
 * contract, which describes the deprecation.
 */
function deprecationHeaders(
  { deprecatedAt, sunsetAt, successor }: Deprecation,
  links: Links,
  hasReference: boolean,
): HttpResponse['headers'] {
  const targets = [];
  if (successor !== undefined) targets.push(`<${String(links.to(successor))}>; rel="successor-version"`);
  if (hasReference) targets.push(`<${links.root()}${ownPaths.contract}>; rel="deprecation"; type="application/yaml"`);
  return {
    ...(deprecatedAt !== undefined && { Deprecation: `@${String(deprecatedAt / 1000)}` }),
    ...(sunsetAt !== undefined && { Sunset: new Date(sunsetAt).toUTCString() }),
    ...(targets.length > 0 && { Link: targets.join(', ') }),
  };
}
