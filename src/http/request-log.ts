import type { Logger } from 'pino';
import type { KeyRedactor } from '../api-keys/key-redactor.js';
import { readTraceparent } from '../observability/trace-context.js';
import { clientAddressOf } from './middleware/client-address.js';
import { type RequestResult, requestResultOf } from './outcome.js';
import type { ClientError } from './protocol/client-errors.js';
import type { RequestContext } from './request-context.js';
import { sanitize } from './sanitize.js';

/**
 * One line for each request, with nothing in it that a client could misuse: no key, no header as it was sent, no query,
 * no body.
 */
export class RequestLog {
  constructor(
    private readonly log: Logger,
    private readonly redactor: KeyRedactor,
  ) {}

  logRequest(context: RequestContext): void {
    const outcome = requestResultOf(context);
    const level = levelOf(context, outcome);
    if (!this.log.isLevelEnabled(level)) return;
    const { request, id, path, keyId, errorCode } = context;
    const { operationId, status, isAborted, durationMs } = outcome;
    this.log[level](
      {
        requestId: id,
        ...readTraceparent(request.headers['traceparent']),
        method: request.method,
        operationId,
        path: operationId === undefined ? sanitize(path, this.redactor) : undefined,
        status,
        errorCode,
        durationMs: Math.round(durationMs * 1000) / 1000,
        keyId,
        address: clientAddressOf(request),
        aborted: isAborted || undefined,
      },
      'request',
    );
  }

  /** Bytes on a connection that were no request, and had an answer. */
  logClientError({ requestId, status, code, address }: ClientError): void {
    this.log.info({ requestId, status, errorCode: code, address }, 'malformed request');
  }
}

/**
 * A defect is an error and a storage that does not answer a warning. Those who watch the service ask so often that they
 * are left out.
 */
function levelOf(
  { isMonitoring: isRoutine }: RequestContext,
  { status }: RequestResult,
): 'debug' | 'info' | 'warn' | 'error' {
  if (isRoutine) return 'debug';
  if (status === 500) return 'error';
  return status === 503 ? 'warn' : 'info';
}
