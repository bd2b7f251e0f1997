import type { Store } from 'express-rate-limit';
import type { Config } from '../config.js';
import { AddressLimit } from '../http/address-limit.js';
import { RequestLog, requestResultOf } from '../http/request-log.js';
import { credentialsOf, type SecurityHandler } from '../http/security.js';
import type { Clock } from '../lib/clock.js';
import { withDefaultErrors } from '../mock/contract-examples.js';
import { createMockHandler, type Delay } from '../mock/mock-handler.js';
import { Readiness } from '../observability/readiness.js';
import { createApi } from '../openapi/create-api.js';
import { type BanRule, type ContractDocument, type PlanLimits, securitySchemesOf } from '../openapi/document.js';
import { operationsOf } from '../openapi/operations.js';
import { decide, newQuotaState } from '../rate-limits/decide.js';
import type { Quota, QuotaStore } from '../rate-limits/quota-store.js';
import { composeServer, type Dependencies } from './compose-server.js';

/**
 * Creates the mock server: the application of the service, in which all credentials are valid, nothing is limited, and
 * the examples of the contract take the place of the handlers and the stores. It does not listen yet.
 *
 * @param delay waits for `Prefer: wait`. Default: a timer.
 */
export function createMock(config: Config, dependencies: Dependencies, delay?: Delay) {
  const { contract, clock, redactor, log } = dependencies;
  const document = withDefaultErrors(contract.document);
  const plan = document['x-rate-limit-plans'][document['x-rate-limit-address-plan']];
  const limits = typeof plan === 'object' ? plan : undefined;
  const requestLog = log && new RequestLog(log.logger, redactor);
  return composeServer(
    config,
    { ...dependencies, clock: beforeRemovals },
    {
      security: acceptAnyCredentials(document, limits),
      quotas: notCounting(document['x-rate-limit-ban'], clock),
      addressLimit: new AddressLimit(limits?.requestsPerMinute, ignore, createUncountedStore()),
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

/** Security handlers that accept any credentials, for every scope. */
function acceptAnyCredentials(
  document: ContractDocument,
  limits: PlanLimits | undefined,
): Record<string, SecurityHandler> {
  const nodes = [document, ...operationsOf(document).map(({ operation }) => operation)];
  const scopes = nodes.flatMap(({ security = [] }) => security.flatMap((each) => Object.values(each).flat()));
  const caller = { id: 'mock', name: 'mock', scopes, quota: { id: 'mock', limits } };
  const handlerOf = (name: string): SecurityHandler => {
    const { read } = credentialsOf(document, name);
    return (request) => (read(request) === undefined ? 'missing' : caller);
  };
  return Object.fromEntries(Object.keys(securitySchemesOf(document)).map((name) => [name, handlerOf(name)]));
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
