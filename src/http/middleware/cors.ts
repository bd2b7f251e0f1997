import type { IncomingMessage, ServerResponse } from 'node:http';
import corsMiddleware from 'cors';
import type { RequestHandler } from 'express';
import { type ContractDocument, operationsOf } from '../../openapi/document.js';
import type { AddressLimit } from '../address-limit.js';
import { requireContext } from '../request-context.js';
import { sendResponse } from '../send-response.js';
import { clientAddressOf } from './client-address.js';
import { routeNotFound } from './not-found.js';

/** How long a browser may cache the response to a preflight request, in seconds. */
const preflightMaxAgeSeconds = 600;

export type CorsMiddleware = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

/**
 * Lets scripts of other origins read responses (Fetch standard, "CORS protocol"). The request listener runs it before
 * Express, so that responses to malformed requests, which do not reach Express, have the headers too.
 *
 * @param origins may read responses; other origins receive the same responses without that permission.
 */
export function cors(origins: readonly string[], contract: ContractDocument): CorsMiddleware {
  const addHeaders = corsMiddleware({
    origin: [...origins],
    methods: [...new Set([...operationsOf(contract).map(({ method }) => method.toUpperCase()), 'HEAD'])],
    exposedHeaders: headersOf(contract),
    maxAge: preflightMaxAgeSeconds,
    preflightContinue: true,
  });
  return (request, response, next) => {
    const { origin = '', 'access-control-request-method': method } = request.headers;
    const isPreflight = request.method === 'OPTIONS' && method !== undefined && origins.includes(origin);
    requireContext(request).isPreflight = isPreflight;
    addHeaders(request, response, next);
  };
}

/** Every header that a response may have. */
function headersOf(contract: ContractDocument): string[] {
  const responses = [
    ...operationsOf(contract).flatMap(({ operation }) => Object.values(operation.responses)),
    ...Object.values(contract.components.responses ?? {}),
  ];
  const names = responses.flatMap((response) => ('headers' in response ? Object.keys(response.headers ?? {}) : []));
  return [...new Set(names)].sort();
}

/** Responds to a preflight request, which has no API key and is not counted. */
export function preflight(addressLimit: AddressLimit): RequestHandler {
  return (request, response, next) => {
    const context = requireContext(request);
    const { isPreflight, match, path } = context;
    if (!isPreflight || match?.kind === 'operation') {
      next();
      return undefined;
    }
    if (match?.kind !== 'method not allowed') throw routeNotFound(request.method, path);
    return addressLimit.peek(clientAddressOf(request)).then((decision) => {
      context.decision = decision;
      sendResponse(response, { status: 204, headers: { Allow: match.allow } });
    });
  };
}
