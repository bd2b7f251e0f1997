import type { ErrorStatuses } from '../../generated/extensions.js';

/** An error code of the service; the contract's `x-error-codes` lists the cause and the solution of each. */
export type ServiceErrorCode = keyof ErrorStatuses;

/**
 * An error code of the client: `network_failure` (no complete response), `aborted` (by the caller), or
 * `unexpected_response` (a response that does not conform to the contract, such as the HTML page of a proxy).
 */
export type ClientErrorCode = 'network_failure' | 'aborted' | 'unexpected_response';

/** Any string, because the service may add codes. Editors suggest the known codes. */
export type PetstoreErrorCode = ServiceErrorCode | ClientErrorCode | (string & {});

type StatusOf<Code> = Code extends ServiceErrorCode
  ? ErrorStatuses[Code]
  : Code extends 'network_failure' | 'aborted'
    ? undefined
    : number | undefined;

export interface ErrorDetails {
  readonly status?: number;
  readonly requestId?: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly cause?: unknown;
}

/** The error of a call. Use `isPetstoreError` to narrow it by its code. */
export class PetstoreError<Code extends string = PetstoreErrorCode> extends Error {
  override readonly name: string = 'PetstoreError';
  /** The HTTP status; `undefined` without a response. */
  readonly status: StatusOf<Code>;
  /** Identifies the request in the log of the service. */
  readonly requestId: string | undefined;
  /** The `Retry-After` of the response. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    readonly code: Code,
    message: string,
    { status, requestId, retryAfterSeconds, cause }: ErrorDetails = {},
  ) {
    super(message, { cause });
    this.status = status as StatusOf<Code>;
    this.requestId = requestId;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** `Retry-After` is longer than `maxWaitSeconds`. `code` and `status` are those of the response error, its `cause`. */
export class WaitTooLongError extends PetstoreError {
  override readonly name = 'WaitTooLongError';
  declare readonly retryAfterSeconds: number;

  constructor(error: PetstoreError, maxWaitSeconds: number) {
    const { code, message, retryAfterSeconds } = error;
    const wait =
      `The service requires a wait of ${String(retryAfterSeconds)} s; the client waits at most ` +
      `${String(maxWaitSeconds)} s.`;
    super(code, `${message} ${wait}`, { ...detailsOf(error), cause: error });
  }
}

/** Whether `error` is a `PetstoreError`, with one of these codes if any are given. */
export function isPetstoreError<Code extends PetstoreErrorCode = PetstoreErrorCode>(
  error: unknown,
  ...codes: readonly Code[]
): error is PetstoreError<Code> {
  if (!(error instanceof PetstoreError)) return false;
  return codes.length === 0 || codes.some((code) => code === error.code);
}

function detailsOf({ status, requestId, retryAfterSeconds }: PetstoreError): ErrorDetails {
  return { requestId, retryAfterSeconds, ...(status !== undefined && { status }) };
}
