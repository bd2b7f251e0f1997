import type { Request } from 'express';
import type { Logger } from 'pino';
import type { OnDecision } from '../http/limits/address-limit.js';
import type { RequestContext } from '../http/request-context.js';
import { clientAddressOf } from '../http/wire/client-address.js';
import type { HttpServerEvents } from '../http/wire/server.js';
import { activeSpan } from '../log/active-span.js';
import type { KeyRedactor } from '../log/key-redactor.js';
import type { Metrics } from '../observability/metrics.js';

/** Creates the functions that write the log and the metrics of a server, both of which are optional. */
export function createServerEvents(
  logger: Logger | undefined,
  redactor: KeyRedactor,
  metrics?: Metrics,
): HttpServerEvents & { readonly onDecision: OnDecision; readonly onReadiness: (failure: unknown) => void } {
  return {
    onEnd: (context) => {
      const result = resultOf(context);
      if (logger !== undefined) logRequest(logger, redactor, context, result);
      const operation = result.operationId ?? kindOf(context);
      const { status = 'aborted', durationMs } = result;
      metrics?.countRequest(operation, context.request.method ?? '', status, durationMs / 1000);
    },
    onMalformedRequest: (code) => metrics?.malformedRequests.inc({ code }),
    onUnparsedRequest: ({ requestId, status, code, address }) =>
      logger?.info({ requestId, status, errorCode: code, address }, 'malformed request'),
    onConnectionLimit: (address) =>
      logger?.warn(
        { address },
        'connections beyond MAX_CONNECTIONS_PER_ADDRESS are closed; if the address is that of a proxy, set TRUST_PROXY',
      ),
    onMissingClientAddress: (address) =>
      logger?.warn(
        { address },
        'TRUST_PROXY trusts this address, whose requests have no X-Forwarded-For, so clients can choose their address; ' +
          'let the proxy append the address of its client, and let only the proxy reach the service',
      ),
    onReadiness: (failure) =>
      failure === undefined ? logger?.warn('ready again') : logger?.warn({ err: failure }, 'not ready'),
    onDecision: ({ rejectedBy, beginsBan, bannedUntil = 0 }, quotaId) => {
      const client = quotaId === undefined ? 'address' : 'key';
      metrics?.decisions.inc({ client, decision: rejectedBy ?? 'allowed' });
      if (beginsBan !== true) return;
      metrics?.bans.inc();
      logger?.warn({ quotaId, bannedUntil: new Date(bannedUntil).toISOString() }, 'ban');
    },
  };
}

type RequestResult = ReturnType<typeof resultOf>;

/** To be called when the response has been sent, or the client has disconnected. */
function resultOf({ match, response, startedAt }: RequestContext) {
  return {
    /** `undefined` for a request that matches no operation. */
    operationId: match?.kind === 'operation' ? match.operation.operationId : undefined,
    /** `undefined` if the client disconnected before there was a response. */
    status: response.headersSent ? response.statusCode : undefined,
    /** Whether the client disconnected before it had the whole response. */
    isAborted: !response.writableFinished,
    durationMs: performance.now() - startedAt,
  };
}

/** Writes one line for each request. It contains no API key, raw header, query or body. */
function logRequest(logger: Logger, redactor: KeyRedactor, context: RequestContext, result: RequestResult): void {
  const level = levelOf(context, result);
  if (!logger.isLevelEnabled(level)) return;
  const { request, id, path, firstCaller, errorCode } = context;
  const { operationId, status, isAborted, durationMs } = result;
  logger[level](
    {
      requestId: id,
      ...findSpan(),
      method: request.method,
      operationId,
      path: operationId === undefined ? redactor.sanitize(path) : undefined,
      status,
      errorCode,
      durationMs: Math.round(durationMs * 1000) / 1000,
      callerId: firstCaller?.id,
      address: clientAddressOf(request),
      aborted: isAborted || undefined,
    },
    'request',
  );
}

/** Requests of monitoring systems are so frequent that they are logged at the debug level only. */
function levelOf({ isMonitoring }: RequestContext, { status }: RequestResult): 'debug' | 'info' | 'warn' | 'error' {
  if (isMonitoring) return 'debug';
  if (status === 500) return 'error';
  return status === 503 ? 'warn' : 'info';
}

/** The ids of the span of the request, if OpenTelemetry runs. */
function findSpan(): { readonly traceId: string; readonly spanId: string } | undefined {
  const span = activeSpan()?.spanContext();
  return span && { traceId: span.traceId, spanId: span.spanId };
}

/** The label of a request that matches no operation. Express sets the route of the API and of documents. */
function kindOf(context: RequestContext): 'health' | 'documents' | 'routes' | 'unknown' {
  if (context.isMonitoring) return 'health';
  if (context.match !== undefined || (context.request as Request).route === undefined) return 'unknown';
  return context.isRoute ? 'routes' : 'documents';
}
