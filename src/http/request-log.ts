import type { KeyRedactor } from '../api-keys/key-redactor.js';
import type { Log } from '../observability/log.js';
import { readTraceparent } from '../observability/trace-context.js';
import { clientAddressOf } from './middleware/client-address.js';
import { type Outcome, outcomeOf } from './outcome.js';
import type { WireFault } from './protocol/client-errors.js';
import type { Exchange } from './request-context.js';
import { shownText } from './sanitize.js';

/**
 * One line for each request, with nothing in it that a client could misuse: no key, no header as it was sent, no query,
 * no body.
 */
export class RequestLog {
  constructor(
    private readonly log: Log,
    private readonly redactor: KeyRedactor,
  ) {}

  ended(exchange: Exchange): void {
    const outcome = outcomeOf(exchange);
    const level = levelOf(exchange, outcome);
    if (!this.log.isLevelEnabled(level)) return;
    const { request, id, path, keyId, errorCode } = exchange;
    const { operationId, status, isAborted, durationMs } = outcome;
    this.log[level](
      {
        requestId: id,
        ...readTraceparent(request.headers['traceparent']),
        method: request.method,
        operationId,
        path: operationId === undefined ? shownText(path, this.redactor) : undefined,
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
  fault({ requestId, status, code, address }: WireFault): void {
    this.log.info({ requestId, status, errorCode: code, address }, 'wire fault');
  }
}

/**
 * A defect is an error and a storage that does not answer a warning. Those who watch the service ask so often that they
 * are left out.
 */
function levelOf({ isRoutine }: Exchange, { status }: Outcome): 'debug' | 'info' | 'warn' | 'error' {
  if (isRoutine) return 'debug';
  if (status === 500) return 'error';
  return status === 503 ? 'warn' : 'info';
}
