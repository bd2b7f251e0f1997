import type { Links } from '@contract-server/core/contract/links.js';
import type { Clock } from '@contract-server/core/lib/clock.js';
import type { ServedContract } from '@contract-server/core/load/load-contract.js';
import type { RequestHandler } from 'express';
import type { Api } from '../backend/create-api.js';
import type { QuotaStore } from '../rate-limits/quota-store.js';
import { requestBody } from './bodies/request-body.js';
import { type ErrorResponses, errorHandler } from './errors/error-responses.js';
import type { AddressLimit, OnDecision } from './limits/address-limit.js';
import { ConcurrencyLimit } from './limits/concurrency-limit.js';
import { operationLimits } from './limits/operation-limits.js';
import { peekLimits, planQuota } from './limits/plan-quota.js';
import { preflight } from './middleware/cors.js';
import { findOperation } from './middleware/find-operation.js';
import { inSequence } from './middleware/in-sequence.js';
import { serveOperation } from './middleware/serve-operation.js';
import { authenticate, authorize } from './security/authenticate.js';
import type { SecuritySchemes } from './security/security.js';

/** What the API of a contract is served with. */
export interface ServedApi {
  readonly contract: ServedContract;
  readonly api: Api;
  readonly links: Links;
  readonly schemes: SecuritySchemes;
  readonly quotas: Pick<QuotaStore, 'consume' | 'peek'>;
  /** Called with each decision about a caller with a quota. */
  readonly onDecision: OnDecision;
  readonly addressLimit: AddressLimit;
  readonly errors: ErrorResponses;
  readonly clock: Clock;
  /** Whether invalid credentials are a 401 where an operation needs none. */
  readonly rejectInvalidCredentials?: boolean | undefined;
  /** Whether the server has the routes of the API reference, to which responses then refer. */
  readonly hasReference: boolean;
}

/** What a server sets, and a router leaves to its application. */
export interface RouterLimits {
  /** Maximum number of requests that are processed at the same time. */
  readonly concurrentRequestsMax: number;
  /** Origins whose scripts may read responses. */
  readonly corsOrigins: readonly string[];
}

/**
 * The steps of the API, as one handler for Express. Each comment names the status codes that a step can return. An
 * unavailable store is a 503 at any step.
 *
 * @param enter creates the request context, in an application whose server has not; first in the list.
 */
export function createApiRouter(
  options: ServedApi,
  { concurrentRequestsMax = Infinity, corsOrigins = [] }: Partial<RouterLimits> = {},
  ...enter: readonly RequestHandler[]
): RequestHandler {
  const { contract, api, links, schemes, quotas, addressLimit, errors, clock, hasReference } = options;
  const concurrency = new ConcurrencyLimit(concurrentRequestsMax);
  const steps = [
    ...enter,
    findOperation(api.router, links, hasReference), // finds the operation, with the headers that announce its removal
    preflight(corsOrigins, addressLimit), // 204 for a CORS preflight request, which is not counted
    authenticate(schemes, contract), // finds the caller, such as the owner of an API key, and its quota; 503
    concurrency.middleware, // 503; after `authenticate`, so that its headers are those of the caller's quota
    addressLimit.middleware, // 429, for requests without a quota
    planQuota(quotas, options.onDecision), // 429, for requests with one
    authorize(schemes, clock, options.rejectInvalidCredentials), // 401, 403, 410
    ...operationLimits(api.router.getOperations().map(({ declared }) => declared)), // 429, by `x-rate-limit`
    requestBody(concurrency), // 415, 413, 400, 503
    // 404, 405, 204 for OPTIONS, 400, 501; or the handler: 200, 201, 400, 404, 409, 422
    serveOperation(api, errors.report),
  ];
  const errorHandlers = [
    peekLimits(quotas, addressLimit), // rate-limit headers for errors that were raised before the request was counted
    // Sends these errors, or 500. Here too, because Express leaves a router with an error only in the next event-loop
    // tick.
    errorHandler(errors),
  ];
  return inSequence(steps, errorHandlers);
}
