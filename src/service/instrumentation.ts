import type { Request } from 'express';
import type { Config } from '../config.js';
import type { RequestContext } from '../http/request-context.js';
import { RequestLog, requestResultOf } from '../http/request-log.js';
import type { HttpServerEvents } from '../http/server.js';
import type { ServiceLog } from '../observability/log.js';
import type { Metrics, WrapStore } from '../observability/metrics.js';
import type { Decision } from '../rate-limits/decide.js';
import type { Quota, QuotaStore } from '../rate-limits/quota-store.js';
import type { CreationObserver } from './application.js';
import type { Dependencies } from './compose-server.js';

/** Creates the functions that write the log and the metrics of a service, both of which are optional. */
export async function createInstrumentation(config: Config, { contract, redactor, log }: Dependencies) {
  const logger = log?.logger;
  const requestLog = logger && new RequestLog(logger, redactor);
  // Loaded only if it is enabled, because loading it delays the start.
  const metrics =
    config.metricsPort === undefined
      ? undefined
      : new (await import('../observability/metrics.js')).Metrics(contract.document.info.version);

  /** Measures the calls of a store. Returns the store itself if metrics are disabled. */
  const wrapStore: WrapStore = (label, store) => metrics?.instrumentStore(label, store) ?? store;

  const recordQuotaDecision = ({ id }: Quota, { rejectedBy, beginsBan, bannedUntil = 0 }: Decision): void => {
    metrics?.decisions.inc({ client: 'key', decision: rejectedBy ?? 'allowed' });
    if (beginsBan !== true) return;
    metrics?.bans.inc();
    logger?.warn({ quotaId: id, bannedUntil: new Date(bannedUntil).toISOString() }, 'ban');
  };

  return {
    metrics,
    serverEvents: createServerEvents(metrics, requestLog, logger),
    observer: {
      onBatch: (size) => metrics?.batchSizes.observe(size),
      onListed: (seconds) => metrics?.listingDelay.observe(seconds),
    } satisfies CreationObserver,
    wrapStore,
    /** Measures the calls of a quota store in Redis, and logs and counts the decisions of every quota store. */
    wrapQuotaStore: (quotas: Pick<QuotaStore, 'consume' | 'peek'>): typeof quotas => {
      const measured = config.redis === undefined ? quotas : wrapStore('quotas', quotas);
      const consume = (quota: Quota) =>
        measured.consume(quota).then((decision) => {
          recordQuotaDecision(quota, decision);
          return decision;
        });
      return { consume, peek: (quota) => measured.peek(quota) };
    },
    /** Counts a decision about a request without a valid API key. */
    onAddressDecision: ({ rejectedBy }: Decision) =>
      metrics?.decisions.inc({ client: 'address', decision: rejectedBy ?? 'allowed' }),
    /** Records a request to the metrics server. */
    onMetricsRequestEnd: (context: RequestContext) => requestLog?.logRequest(context, requestResultOf(context)),
    /** Records that the stores became unavailable, with the reason, or available again, with `undefined`. */
    onReadiness: (failure: unknown): void => {
      if (failure === undefined) logger?.warn('ready again');
      else logger?.warn({ err: failure }, 'not ready');
    },
  };
}

function createServerEvents(
  metrics: Metrics | undefined,
  requestLog: RequestLog | undefined,
  logger: ServiceLog['logger'] | undefined,
): HttpServerEvents {
  return {
    onEnd: (context) => {
      const result = requestResultOf(context);
      requestLog?.logRequest(context, result);
      const operation = result.operationId ?? kindOf(context);
      const { method = '' } = context.request;
      metrics?.countRequest({ operation, method, status: result.status ?? 'aborted' }, result.durationMs / 1000);
    },
    onClientError: (error) => {
      requestLog?.logClientError(error);
      metrics?.malformedRequests.inc({ code: error.code });
    },
    onConnectionLimit: (address) =>
      logger?.warn(
        { address },
        'connections beyond MAX_CONNECTIONS_PER_ADDRESS are closed; if the address is that of a proxy, set TRUST_PROXY',
      ),
  };
}

/** The label of a request that matches no operation. Express sets the route of documents and health checks. */
function kindOf({ isMonitoring, isRoute, request }: RequestContext): 'health' | 'documents' | 'routes' | 'unknown' {
  if (isMonitoring) return 'health';
  if ((request as Request).route === undefined) return 'unknown';
  return isRoute ? 'routes' : 'documents';
}
