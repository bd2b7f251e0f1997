import { trace } from '@opentelemetry/api';
import type { Logger } from 'pino';
import type { KeyRedactor } from '../api-keys/key-redactor.js';
import type { MalformedRequestEvent } from './client-errors.js';
import { clientAddressOf } from './middleware/client-address.js';
import type { RequestContext } from './request-context.js';

/** Writes one line for each request. It contains no API key, raw header, query or body. */
export class RequestLog {
  constructor(
    private readonly log: Logger,
    private readonly redactor: KeyRedactor,
  ) {}

  logRequest(context: RequestContext, result: RequestResult): void {
    const level = levelOf(context, result);
    if (!this.log.isLevelEnabled(level)) return;
    const { request, id, path, caller, errorCode } = context;
    const { operationId, status, isAborted, durationMs } = result;
    this.log[level](
      {
        requestId: id,
        ...findSpan(),
        method: request.method,
        operationId,
        path: operationId === undefined ? this.redactor.sanitize(path) : undefined,
        status,
        errorCode,
        durationMs: Math.round(durationMs * 1000) / 1000,
        keyId: caller?.id,
        address: clientAddressOf(request),
        aborted: isAborted || undefined,
      },
      'request',
    );
  }

  /** Logs a malformed request that has no request context. */
  logClientError({ requestId, status, code, address }: MalformedRequestEvent): void {
    this.log.info({ requestId, status, errorCode: code, address }, 'malformed request');
  }
}

/** Requests of monitoring systems are so frequent that they are logged at the debug level only. */
function levelOf({ isMonitoring }: RequestContext, { status }: RequestResult): 'debug' | 'info' | 'warn' | 'error' {
  if (isMonitoring) return 'debug';
  if (status === 500) return 'error';
  return status === 503 ? 'warn' : 'info';
}

type RequestResult = ReturnType<typeof requestResultOf>;

/** To be called when the response has been sent, or the client has disconnected. */
export function requestResultOf({ match, response, startedAt }: RequestContext) {
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

/** The ids of the span of the request, if OpenTelemetry runs (`node --import`). */
function findSpan(): { readonly traceId: string; readonly spanId: string } | undefined {
  const span = trace.getActiveSpan()?.spanContext();
  return span && { traceId: span.traceId, spanId: span.spanId };
}
