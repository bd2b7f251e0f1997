import type { OperationId } from '../openapi/types.js';
import type { RequestContext } from './request-context.js';

/** How a request ended. */
export interface RequestResult {
  /** `undefined` for what belongs to no operation. */
  readonly operationId: OperationId | undefined;
  /** `undefined` if the client left before there was an answer. */
  readonly status: number | undefined;
  /** Whether the client left before it had the whole answer. */
  readonly isAborted: boolean;
  readonly durationMs: number;
}

/** To be asked when the answer has left, or the client. */
export function requestResultOf({ match, response, startedAt }: RequestContext): RequestResult {
  return {
    operationId: match?.kind === 'operation' ? match.operation.operationId : undefined,
    status: response.headersSent ? response.statusCode : undefined,
    isAborted: !response.writableFinished,
    durationMs: performance.now() - startedAt,
  };
}
