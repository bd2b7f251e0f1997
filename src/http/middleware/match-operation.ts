import type { RequestHandler } from 'express';
import type { CompiledOperation, CompiledRouter } from '../../openapi/compiled-router.js';
import type { Links } from '../links.js';
import { nameSpan } from '../name-span.js';
import { type HttpResponse, requireContext } from '../request-context.js';

type Headers = HttpResponse['headers'];

/**
 * Finds the operation of a request before anything else, because every response of a deprecated operation announces its
 * removal, even a 401.
 */
export function matchOperation(router: CompiledRouter, links: Links): RequestHandler {
  const headersByOperation = new Map<CompiledOperation, Headers>();
  const headersOf = (operation: CompiledOperation): Headers => {
    const existing = headersByOperation.get(operation);
    if (existing !== undefined) return existing;
    const headers = deprecationHeaders(operation, links);
    headersByOperation.set(operation, headers);
    return headers;
  };
  return (request, _response, next) => {
    const context = requireContext(request);
    const match = router.match(request.method, context.path);
    context.match = match;
    if (match.kind === 'operation') {
      nameSpan(request.method, match.operation, request.baseUrl);
      if (match.operation.deprecation !== undefined) context.deprecationHeaders = headersOf(match.operation);
    }
    next();
  };
}

/**
 * `Deprecation` (RFC 9745), `Sunset` (RFC 8594), and `Link` to the successor (RFC 5829) and to the contract, which
 * describes the deprecation.
 */
function deprecationHeaders({ deprecation }: CompiledOperation, links: Links): Headers {
  if (deprecation === undefined) return undefined;
  const { deprecatedAt, sunsetAt, successor } = deprecation;
  return {
    Deprecation: `@${String(deprecatedAt / 1000)}`,
    Sunset: new Date(sunsetAt).toUTCString(),
    Link:
      `<${String(links.to(successor))}>; rel="successor-version", <${links.toContract()}>; rel="deprecation"; ` +
      'type="application/yaml"',
  };
}
