import type { Request } from 'express';
import type { KeyRedactor } from '../api-keys/key-redactor.js';
import type { Config } from '../config.js';
import type { MalformedRequestEvent } from '../http/client-errors.js';
import type { RequestContext } from '../http/request-context.js';
import { RequestLog, requestResultOf } from '../http/request-log.js';
import type { ServiceLog } from '../observability/log.js';
import type { AsyncMethods, Metrics, Readings } from '../observability/metrics.js';
import type { ContractSource } from '../openapi/load-contract.js';
import type { Decision } from '../rate-limits/decide.js';
import type { Quota, QuotaStore } from '../rate-limits/quota-store.js';

/** Writes the log and the metrics of a service, both of which are optional. */
export class Instrumentation {
  constructor(
    private readonly log: ServiceLog | undefined,
    private readonly requestLog: RequestLog | undefined,
    private readonly metrics: Metrics | undefined,
  ) {}

  /** Records a request to the service whose response has been sent, or whose client has disconnected. */
  readonly onEnd = (context: RequestContext): void => {
    const result = requestResultOf(context);
    this.requestLog?.logRequest(context, result);
    const operation = result.operationId ?? kindOf(context);
    const { method = '' } = context.request;
    this.metrics?.countRequest({ operation, method, status: result.status ?? 'aborted' }, result.durationMs / 1000);
  };

  /** Records a request to the metrics server. */
  readonly onMetricsRequestEnd = (context: RequestContext): void =>
    this.requestLog?.logRequest(context, requestResultOf(context));

  /** Records a malformed HTTP request. */
  readonly onClientError = (error: MalformedRequestEvent): void => {
    this.requestLog?.logClientError(error);
    this.metrics?.countMalformedRequest(error.code);
  };

  /** Records the first connection that is closed because its client address has too many. */
  readonly onConnectionLimit = (address: string): void =>
    this.log?.logger.warn(
      { address },
      'connections beyond MAX_CONNECTIONS_PER_ADDRESS are closed; if the address is that of a proxy, set TRUST_PROXY',
    );

  /** Records that the stores became unavailable, with the reason, or available again, with `undefined`. */
  readonly onReadiness = (failure: unknown): void => {
    if (failure === undefined) this.log?.logger.warn('ready again');
    else this.log?.logger.warn({ err: failure }, 'not ready');
  };

  /** Returns the function that reads the metrics; `undefined` if they are disabled. */
  exposeMetrics(readings: Readings): (() => ReturnType<Metrics['expose']>) | undefined {
    const { metrics } = this;
    metrics?.collectFrom(readings);
    return metrics && (() => metrics.expose());
  }

  /** Records how many creations share a transaction. */
  readonly onBatch = (size: number): void => this.metrics?.observeBatchSize(size);

  /** Records the time between the commit of pets and their listing. */
  readonly onListed = (seconds: number): void => this.metrics?.observeListingDelay(seconds);

  /** Measures the calls of a store. Returns the store itself if metrics are disabled. */
  wrapStore<Store extends AsyncMethods<Store>>(label: 'pets' | 'keys' | 'limits', store: Store): Store {
    return this.metrics?.instrumentStore(label, store) ?? store;
  }

  /** Measures the calls of a quota store, and logs and counts bans. */
  wrapQuotaStore(quotas: Pick<QuotaStore, 'consume' | 'peek'>): typeof quotas {
    const timed = this.wrapStore('limits', quotas);
    return {
      consume: (quota) =>
        timed.consume(quota).then((decision) => {
          this.onDecision(quota, decision);
          return decision;
        }),
      peek: (quota) => timed.peek(quota),
    };
  }

  /** Counts a decision about a request without a valid API key. */
  readonly onAddressDecision = ({ rejectedBy }: Decision): void =>
    this.metrics?.countDecision('address', rejectedBy ?? 'allowed');

  private onDecision({ id }: Quota, { rejectedBy, beginsBan, bannedUntil = 0 }: Decision): void {
    this.metrics?.countDecision('key', rejectedBy ?? 'allowed');
    if (beginsBan !== true) return;
    this.metrics?.countBan();
    this.log?.logger.warn({ quotaId: id, bannedUntil: new Date(bannedUntil).toISOString() }, 'ban');
  }
}

export async function createInstrumentation(
  { metricsPort }: Config,
  { contract, redactor, log }: { contract: ContractSource; redactor: KeyRedactor; log?: ServiceLog },
): Promise<Instrumentation> {
  // Loaded only if it is enabled, because loading it delays the start.
  const metrics =
    metricsPort === undefined
      ? undefined
      : new (await import('../observability/metrics.js')).Metrics(contract.document.info.version);
  return new Instrumentation(log, log && new RequestLog(log.logger, redactor), metrics);
}

/** The label of a request that matches no operation. Express sets the route of documents and health checks. */
function kindOf({ isMonitoring, request }: RequestContext): 'health' | 'documents' | 'unknown' {
  if (isMonitoring) return 'health';
  return (request as Request).route === undefined ? 'unknown' : 'documents';
}
