import type { Request } from 'express';
import type { Config } from '../config.js';
import type { MalformedRequestEvent } from '../http/client-errors.js';
import type { RequestContext } from '../http/request-context.js';
import { RequestLog, requestResultOf } from '../http/request-log.js';
import type { AsyncMethods } from '../observability/metrics.js';
import type { Decision } from '../rate-limits/decide.js';
import type { Quota, QuotaStore } from '../rate-limits/quota-store.js';
import type { Dependencies } from './compose-server.js';

/** Creates the functions that write the log and the metrics of a service, both of which are optional. */
export async function createInstrumentation(config: Config, { contract, redactor, log }: Dependencies) {
  const requestLog = log && new RequestLog(log.logger, redactor);
  // Loaded only if it is enabled, because loading it delays the start.
  const metrics =
    config.metricsPort === undefined
      ? undefined
      : new (await import('../observability/metrics.js')).Metrics(contract.document.info.version);

  /** Measures the calls of a store. Returns the store itself if metrics are disabled. */
  const wrapStore = <Store extends AsyncMethods<Store>>(label: 'pets' | 'keys' | 'limits', store: Store): Store =>
    metrics?.instrumentStore(label, store) ?? store;

  const onQuotaDecision = ({ id }: Quota, { rejectedBy, beginsBan, bannedUntil = 0 }: Decision): void => {
    metrics?.decisions.inc({ client: 'key', decision: rejectedBy ?? 'allowed' });
    if (beginsBan !== true) return;
    metrics?.bans.inc();
    log?.logger.warn({ quotaId: id, bannedUntil: new Date(bannedUntil).toISOString() }, 'ban');
  };

  return {
    metrics,
    wrapStore,
    /** Measures the calls of a quota store, and logs and counts bans. */
    wrapQuotaStore: (quotas: DecidingStore) => onEachDecision(wrapStore('limits', quotas), onQuotaDecision),
    /** Counts a decision about a request without a valid API key. */
    onAddressDecision: ({ rejectedBy }: Decision) =>
      metrics?.decisions.inc({ client: 'address', decision: rejectedBy ?? 'allowed' }),
    /** Records a request to the service whose response has been sent, or whose client has disconnected. */
    onEnd: (context: RequestContext): void => {
      const result = requestResultOf(context);
      requestLog?.logRequest(context, result);
      const operation = result.operationId ?? kindOf(context);
      const { method = '' } = context.request;
      metrics?.countRequest({ operation, method, status: result.status ?? 'aborted' }, result.durationMs / 1000);
    },
    /** Records a request to the metrics server. */
    onMetricsRequestEnd: (context: RequestContext) => requestLog?.logRequest(context, requestResultOf(context)),
    /** Records a malformed HTTP request. */
    onClientError: (error: MalformedRequestEvent): void => {
      requestLog?.logClientError(error);
      metrics?.malformedRequests.inc({ code: error.code });
    },
    /** Records the first connection that is closed because its client address has too many. */
    onConnectionLimit: (address: string) =>
      log?.logger.warn(
        { address },
        'connections beyond MAX_CONNECTIONS_PER_ADDRESS are closed; if the address is that of a proxy, set TRUST_PROXY',
      ),
    /** Records that the stores became unavailable, with the reason, or available again, with `undefined`. */
    onReadiness: (failure: unknown): void => {
      if (failure === undefined) log?.logger.warn('ready again');
      else log?.logger.warn({ err: failure }, 'not ready');
    },
    /** Records how many creations share a transaction. */
    onBatch: (size: number) => metrics?.batchSizes.observe(size),
    /** Records the time between the commit of pets and their listing. */
    onListed: (seconds: number) => metrics?.listingDelay.observe(seconds),
  };
}

type DecidingStore = Pick<QuotaStore, 'consume' | 'peek'>;

function onEachDecision(store: DecidingStore, onDecision: (quota: Quota, decision: Decision) => void): DecidingStore {
  return {
    consume: async (quota) => {
      const decision = await store.consume(quota);
      onDecision(quota, decision);
      return decision;
    },
    peek: (quota) => store.peek(quota),
  };
}

/** The label of a request that matches no operation. Express sets the route of documents and health checks. */
function kindOf({ isMonitoring, request }: RequestContext): 'health' | 'documents' | 'unknown' {
  if (isMonitoring) return 'health';
  return (request as Request).route === undefined ? 'unknown' : 'documents';
}
