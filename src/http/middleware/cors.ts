import cors from 'cors';
import type { RequestHandler } from 'express';
import { type ContractDocument, operationsOf } from '../../openapi/document.js';
import { routeNotFound } from '../api-error-handlers.js';
import { type RequestContext, requestContextOf } from '../request-context.js';
import { sendResponse } from '../send-response.js';
import { clientAddressOf } from './client-address.js';
import type { RateLimiter } from './rate-limit.js';

/** How long a browser may cache the response to a preflight request, in seconds. */
const preflightMaxAgeSeconds = 600;

/** Lets scripts of other origins read responses (Fetch standard, "CORS protocol"). */
export class Cors {
  private readonly middleware: ReturnType<typeof cors>;

  /** @param origins may read responses; other origins receive the same responses without that permission. */
  constructor(
    private readonly origins: readonly string[],
    contract: ContractDocument,
  ) {
    this.middleware = cors({
      origin: [...origins],
      methods: methodsOf(contract),
      exposedHeaders: headersOf(contract),
      maxAge: preflightMaxAgeSeconds,
      preflightContinue: true,
    });
  }

  /** Adds the headers to the response, whatever its status is going to be. */
  allow(context: RequestContext): void {
    const { request, response } = context;
    const { origin = '', 'access-control-request-method': method } = request.headers;
    context.isPreflight = request.method === 'OPTIONS' && method !== undefined && this.origins.includes(origin);
    this.middleware(request, response, () => undefined);
  }
}

function methodsOf(contract: ContractDocument): string[] {
  return [...new Set([...operationsOf(contract).map(({ method }) => method.toUpperCase()), 'HEAD'])];
}

/** Every header that a response may have. */
function headersOf(contract: ContractDocument): string[] {
  const responses = [
    ...operationsOf(contract).flatMap(({ operation }) => Object.values(operation.responses)),
    ...Object.values(contract.components.responses ?? {}),
    ...Object.values(contract['x-service-responses']),
  ];
  const names = responses.flatMap((response) => ('headers' in response ? Object.keys(response.headers ?? {}) : []));
  return [...new Set(names)].sort();
}

/** Responds to a preflight request, which has no API key and is not counted. */
export function preflight(limiter: RateLimiter): RequestHandler {
  return (request, response, next) => {
    const context = requestContextOf(request);
    const { isPreflight, match } = context;
    if (!isPreflight || match?.kind === 'operation') {
      next();
      return undefined;
    }
    if (match?.kind !== 'method not allowed') throw routeNotFound();
    return limiter.peek(limiter.clientOfAddress(clientAddressOf(request))).then((decision) => {
      context.decision = decision;
      sendResponse(response, { status: 204, headers: { Allow: match.allow } });
    });
  };
}
