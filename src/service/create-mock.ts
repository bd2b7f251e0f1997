import { KeyRedactor } from '../api-keys/key-redactor.js';
import type { Config } from '../config.js';
import { createErrorHandlers } from '../http/api-error-handlers.js';
import { ErrorResponses, type Report } from '../http/errors.js';
import { contractPath } from '../http/links.js';
import { ConcurrencyLimit } from '../http/middleware/concurrency-limit.js';
import { addressPlanOf, RateLimiter } from '../http/middleware/rate-limiter.js';
import { listen } from '../http/protocol/listen.js';
import { RequestIds } from '../http/request-ids.js';
import type { Clock } from '../lib/clock.js';
import { MockAnswers, withServiceErrors } from '../mock/example-responses.js';
import { createMockRouter } from '../mock/mock-router.js';
import { Readiness } from '../observability/readiness.js';
import { createApi } from '../openapi/create-api.js';
import { basePathOf } from '../openapi/document.js';
import type { ContractSource } from '../openapi/load-contract.js';
import { MemoryRateLimitStore } from '../rate-limits/memory/memory-store.js';
import { noJournal } from '../rate-limits/memory/no-journal.js';
import { createServer } from './create-http-server.js';

export interface MockDependencies {
  readonly contract: ContractSource;
  readonly clock: Clock;
  /** Told about defects. */
  readonly report: Report;
}

/** Puts a mock together: the server of the service, with the examples of the contract behind it instead of stores. */
export async function createMock(config: Config, { contract, clock, report }: MockDependencies) {
  const document = withServiceErrors(contract.document);
  const redactor = new KeyRedactor(document);
  const errors = new ErrorResponses(document, redactor, report);
  const api = await createApi({
    document,
    isChecked: contract.isChecked,
    handlers: {},
    // A removed operation is mocked until it leaves the contract.
    errorHandlers: { ...createErrorHandlers(clock), postSecurityHandler: nobody },
  });
  const answers = new MockAnswers(api);
  const concurrency = new ConcurrencyLimit(config.requestsMax);
  const router = createMockRouter({ api, answers, errors, concurrency });
  const requestIds = new RequestIds(document, redactor);
  const readiness = new Readiness(() => Promise.resolve(), nobody);
  // What is no proper HTTP belongs to no operation, and no example knows how many of it there were.
  const counters = new MemoryRateLimitStore(document['x-rate-limit-bans'], clock, noJournal, report);
  const limiter = new RateLimiter(counters, document['x-rate-limit-plans'], addressPlanOf(document));
  const common = { config, contract, api, router, readiness, errors, requestIds, limiter };
  const { server, connections } = createServer({ ...common, onEnd: nobody, onFault: nobody });
  const basePath = basePathOf(document);
  return {
    server,
    /** Takes requests. @throws StartError if the address cannot be had. */
    listen: async () => {
      const ownUrl = await listen(server, { ...config, settings: 'HOST and PORT' });
      const url = config.publicBaseUrl?.slice(0, -basePath.length) ?? ownUrl;
      answers.locate(url);
      return { baseUrl: `${url}${basePath}`, contractUrl: `${url}${contractPath}` };
    },
    /** Takes no more requests, and finishes those in flight. */
    close: () => connections.drain(server),
  };
}

/** Is told what a mock has nobody for. */
function nobody(): void {
  return undefined;
}
