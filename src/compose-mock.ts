import { composeServer } from './compose-server.js';
import type { Config } from './config.js';
import type { ContractSource } from './contract/contract-source.js';
import { createApi } from './contract/create-api.js';
import { basePathOf } from './contract/document.js';
import { MockAnswers, withServiceErrors } from './contract/mock-answers.js';
import type { Clock } from './domain/clock.js';
import { createErrorHandlers } from './http/api-error-handlers.js';
import { ErrorReplies, type Report } from './http/errors.js';
import { KeyRedactor } from './http/key-redactor.js';
import { contractPath } from './http/links.js';
import { listen } from './http/listen.js';
import { ConcurrencyLimit } from './http/middleware/concurrency-limit.js';
import { createMockRouter } from './http/mock-router.js';
import { addressPlanOf, RateLimiter } from './http/rate-limiter.js';
import { RequestIds } from './http/request-ids.js';
import { Readiness } from './observe/readiness.js';
import { MemoryLimitStore } from './storage/memory/limit-store.js';
import { noJournal } from './storage/memory/no-journal.js';

export interface MockSurroundings {
  readonly contract: ContractSource;
  readonly clock: Clock;
  /** Told about defects. */
  readonly report: Report;
}

/** Puts a mock together: the server of the service, with the examples of the contract behind it instead of stores. */
export async function composeMock(config: Config, { contract, clock, report }: MockSurroundings) {
  const document = withServiceErrors(contract.document);
  const redactor = new KeyRedactor(document);
  const errors = new ErrorReplies(document, redactor, report);
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
  const counters = new MemoryLimitStore(document['x-rate-limit-bans'], clock, noJournal, report);
  const limiter = new RateLimiter(counters, document['x-rate-limit-plans'], addressPlanOf(document));
  const common = { config, contract, api, router, readiness, errors, requestIds, limiter };
  const { server, connections } = composeServer({ ...common, onEnd: nobody, onFault: nobody });
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
