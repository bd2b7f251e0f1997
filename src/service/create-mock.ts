import type { Store } from 'express-rate-limit';
import { createKey } from '../api-keys/api-key.js';
import { parseBearerToken } from '../api-keys/authenticator.js';
import type { Config } from '../config.js';
import { AddressLimit, addressRequestsPerMinute } from '../http/address-limit.js';
import type { AppOptions } from '../http/create-app.js';
import { RequestLog, requestResultOf } from '../http/request-log.js';
import type { Clock } from '../lib/clock.js';
import { withDefaultErrors } from '../mock/contract-examples.js';
import { createMockHandler, type Delay } from '../mock/mock-handler.js';
import { Readiness } from '../observability/readiness.js';
import { createApi } from '../openapi/create-api.js';
import type { BanRule } from '../openapi/document.js';
import type { PlanName } from '../openapi/types.js';
import { decide, newQuotaState } from '../rate-limits/decide.js';
import type { Quota, QuotaStore } from '../rate-limits/quota-store.js';
import { composeServer, type Dependencies } from './compose-server.js';

/**
 * Creates the mock server: the application of the service, in which every API key is valid, nothing is limited, and the
 * examples of the contract take the place of the handlers and the stores. It does not listen yet.
 *
 * @param delay waits for `Prefer: wait`. Default: a timer.
 */
export function createMock(config: Config, dependencies: Dependencies, delay?: Delay) {
  const { contract, clock, redactor, log } = dependencies;
  const document = withDefaultErrors(contract.document);
  const requestLog = log && new RequestLog(log.logger, redactor);
  return composeServer(
    config,
    { ...dependencies, clock: beforeRemovals },
    {
      authenticator: acceptAnyKey(document['x-rate-limit-address-plan']),
      quotas: notCounting(document['x-rate-limit-ban'], clock),
      addressLimit: new AddressLimit(addressRequestsPerMinute(document), ignore, createUncountedStore()),
      readiness: new Readiness(() => Promise.resolve(), ignore),
      createApi: async (links, lifecycleHandlers) => {
        const api = await createApi({ document, handlers: {}, lifecycleHandlers });
        api.register('notImplemented', createMockHandler(document, links, delay));
        return api;
      },
      serverEvents: {
        onEnd: (context) => requestLog?.logRequest(context, requestResultOf(context)),
        onClientError: (error) => requestLog?.logClientError(error),
      },
    },
  );
}

/** A clock for removals: at this instant no operation is removed yet. Each is mocked until it leaves the contract. */
const beforeRemovals: Clock = () => 0;

/** An authenticator for which any key is a valid one of this plan. */
function acceptAnyKey(plan: PlanName): AppOptions['authenticator'] {
  const key = createKey({ id: 'mock', name: 'mock', quota: { id: 'mock', plan, limits: undefined }, createdAt: 0 });
  return { identify: (authorization) => (parseBearerToken(authorization) === undefined ? 'missing key' : key) };
}

/** Does not count: each request is the first of its windows. */
function notCounting(rule: BanRule, clock: Clock): Pick<QuotaStore, 'consume' | 'peek'> {
  const decideFirst = ({ limits }: Quota) => Promise.resolve(decide({ ...newQuotaState }, limits, rule, clock()));
  return { consume: decideFirst, peek: decideFirst };
}

/** A store of express-rate-limit that does not count: each request is the first of its window. */
function createUncountedStore(): Store {
  return { increment: () => ({ totalHits: 1, resetTime: undefined }), decrement: ignore, resetKey: ignore };
}

function ignore(): void {
  return undefined;
}
