import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Contract } from '@contract-server/core/contract/contract.js';
import { isToken } from '@contract-server/core/lib/header-text.js';
import corsMiddleware from 'cors';
import type { RequestHandler } from 'express';
import { allowOf } from '../../backend/compiled-router.js';
import { type AddressLimit } from '../limits/address-limit.js';
import { requireContext } from '../request-context.js';
import { clientAddressOf } from '../wire/client-address.js';
import { sendResponse } from '../wire/send-response.js';

/** How long a browser may cache the response to a preflight request, in seconds. */
const preflightMaxAgeSeconds = 600;

/**
 * Lets scripts of other origins read responses (Fetch standard, "CORS protocol"). The request listener calls the
 * function before Express, so that responses to malformed requests, which do not reach Express, have the headers too.
 *
 * @param origins may read responses; other origins receive the same responses without that permission.
 */
export function cors(origins: readonly string[], { operations }: Contract) {
  const addHeaders = corsMiddleware({
    origin: [...origins],
    methods: [...new Set([...operations.map(({ method }) => method.toUpperCase()), 'HEAD'])],
    exposedHeaders: headersOf(operations),
    maxAge: preflightMaxAgeSeconds,
    preflightContinue: true,
  });
  // The headers are set synchronously; nothing runs after that.
  return (request: IncomingMessage, response: ServerResponse) => addHeaders(request, response, () => undefined);
}

/** Every header that a response may have: none has a name that is no token. */
function headersOf(operations: Contract['operations']): string[] {
  const responses = operations.flatMap((operation) => [...operation.responses.declared.values()]);
  const names = responses.flatMap(({ declaration }) => Object.keys(declaration.headers ?? {}));
  return [...new Set(names)].filter(isToken).sort();
}

/**
 * Responds to a preflight request of an allowed origin, which has no API key and is not counted: 204 also for a path
 * that does not exist, so that scripts can read its 404.
 */
export function preflight(origins: readonly string[], addressLimit: AddressLimit): RequestHandler {
  return (request, response, next) => {
    const context = requireContext(request);
    const { match } = context;
    if (!isPreflight(request, origins) || match?.kind === 'operation') {
      next();
      return undefined;
    }
    const allow = match?.kind === 'method not allowed' ? match.allow : allowOf([]);
    return addressLimit.peek(clientAddressOf(request)).then((decision) => {
      context.decision = decision;
      sendResponse(response, { status: 204, headers: { Allow: allow } });
    });
  };
}

/** Fetch standard, "CORS-preflight request". */
function isPreflight({ method, headers }: IncomingMessage, origins: readonly string[]): boolean {
  if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) return false;
  return origins.includes(headers.origin ?? '');
}
