import type { ApiKey } from '../api-keys/api-key.js';
import { parseBearerToken } from '../api-keys/authenticator.js';
import { KeyRedactor } from '../api-keys/key-redactor.js';
import type { Config } from '../config.js';
import type { AppOptions } from '../http/create-app.js';
import { ErrorResponses, type Report } from '../http/error-responses.js';
import { createLifecycleHandlers } from '../http/lifecycle-handlers.js';
import { Links } from '../http/links.js';
import { Listener } from '../http/listener.js';
import { RateLimiter, requireAddressPlan } from '../http/middleware/rate-limit.js';
import { RequestIds } from '../http/request-ids.js';
import type { Clock } from '../lib/clock.js';
import { withServiceErrors } from '../mock/contract-examples.js';
import { createMockHandler, type Delay } from '../mock/mock-handler.js';
import { Readiness } from '../observability/readiness.js';
import { createApi } from '../openapi/create-api.js';
import { basePathOf } from '../openapi/document.js';
import type { ContractSource } from '../openapi/load-contract.js';
import type { PlanName } from '../openapi/types.js';
import { decide, newQuotaState } from '../rate-limits/decide.js';
import type { RateLimitClient, RateLimitStore } from '../rate-limits/rate-limit-store.js';
import { composeServer } from './compose-server.js';

export interface MockDependencies {
  readonly contract: ContractSource;
  readonly clock: Clock;
  /** Receives internal errors. */
  readonly report: Report;
  /** Waits for `Prefer: wait`. Default: a timer. */
  readonly delay?: Delay;
}

/**
 * Creates the mock server: the application of the service, in which every API key is valid, nothing is limited, and the
 * examples of the contract take the place of the handlers and the stores. It does not listen yet.
 */
export async function createMock(config: Config, { contract, clock, report, delay }: MockDependencies) {
  const document = withServiceErrors(contract.document);
  const redactor = new KeyRedactor(document);
  const errors = new ErrorResponses(document, redactor, report);
  const listener = new Listener({ ...config, settings: 'HOST and PORT', report });
  const baseUrl = () => config.publicBaseUrl ?? `${listener.origin}${basePathOf(document)}`;
  const links = new Links(document, beforeRemovals, baseUrl);
  const { isChecked } = contract;
  const lifecycleHandlers = createLifecycleHandlers(document, beforeRemovals, errors);
  const api = await createApi({ document, isChecked, handlers: {}, lifecycleHandlers });
  api.register('notImplemented', createMockHandler(document, links, delay));
  const rateLimiter = new RateLimiter(notCounting(clock), document['x-rate-limit-plans'], requireAddressPlan(document));
  const requestIds = new RequestIds(document, redactor);
  const readiness = new Readiness(() => Promise.resolve(), ignore);
  const { server, connections } = composeServer({
    ...{ config, contract, api, links, rateLimiter, readiness, errors, requestIds },
    authenticator: acceptAnyKey(document['x-rate-limit-address-plan']),
    clock: beforeRemovals,
    onEnd: ignore,
    onClientError: ignore,
  });
  return {
    server,
    /** Starts to listen. @throws StartError if the address is not available. */
    listen: async () => {
      await listener.listen(server);
      return { baseUrl: baseUrl(), contractUrl: links.toContract(), docsUrl: links.toDocs() };
    },
    /** Stops accepting requests, and finishes those in flight. */
    close: () => connections.drain(server),
  };
}

/** A clock for removals: at this instant no operation is removed yet. Each is mocked until it leaves the contract. */
const beforeRemovals: Clock = () => 0;

/** An authenticator for which any key is a valid one of this plan. */
function acceptAnyKey(plan: PlanName): AppOptions['authenticator'] {
  const key: ApiKey = {
    id: 'mock',
    name: 'mock',
    quota: { id: 'mock', plan, limits: undefined },
    createdAt: 0,
    expiresAt: undefined,
    revokedAt: undefined,
    rotatedAt: undefined,
    lastUsedAt: undefined,
  };
  return { identify: (authorization) => (parseBearerToken(authorization) === undefined ? 'missing key' : key) };
}

/** Counters that do not count: each request is the first of its windows. */
function notCounting(clock: Clock): RateLimitStore {
  const decideFirst = ({ limits }: RateLimitClient) =>
    Promise.resolve(decide(newQuotaState(), limits, undefined, clock()));
  return { consume: decideFirst, peek: decideFirst };
}

function ignore(): void {
  return undefined;
}
