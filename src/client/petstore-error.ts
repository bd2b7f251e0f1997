import type { ErrorStatuses } from '../../generated/extensions.js';

/** What the service says went wrong; the contract's `x-error-codes` lists each with its cause and its cure. */
export type ServiceErrorCode = keyof ErrorStatuses;

/**
 * What went wrong on the way: no whole answer came (`network_failure`), the caller ended the call (`aborted`), or the
 * answer is none of the contract's (`unexpected_answer`), such as the HTML page of a proxy.
 */
export type ClientErrorCode = 'network_failure' | 'aborted' | 'unexpected_answer';

/** Any string, because the service may get new codes; those that are known complete in an editor. */
export type PetstoreErrorCode = ServiceErrorCode | ClientErrorCode | (string & {});

type StatusOf<Code> = Code extends ServiceErrorCode
  ? ErrorStatuses[Code]
  : Code extends 'network_failure' | 'aborted'
    ? undefined
    : number | undefined;

/** What an error knows beside its code and its message. */
export interface ErrorDetails {
  readonly status?: number;
  readonly requestId?: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly cause?: unknown;
}

/** Every failure of a call. `isPetstoreError` narrows it by its code. */
export class PetstoreError<Code extends string = PetstoreErrorCode> extends Error {
  override readonly name: string = 'PetstoreError';
  /** The HTTP status; `undefined` where there was no answer. */
  readonly status: StatusOf<Code>;
  /** Names the exchange in the operator's log. */
  readonly requestId: string | undefined;
  /** After how many seconds the service would like to be asked again, if it said so. */
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

/**
 * The service asks for a longer wait than the caller allows. `code` and `status` are those of its answer, which is the
 * `cause`.
 */
export class WaitTooLongError extends PetstoreError {
  override readonly name = 'WaitTooLongError';
  declare readonly retryAfterSeconds: number;

  constructor(answer: PetstoreError, maxWaitSeconds: number) {
    const { code, message, retryAfterSeconds } = answer;
    const wait = `The service asks for a wait of ${String(retryAfterSeconds)} s, the client waits for at most ${String(maxWaitSeconds)} s.`;
    super(code, `${message} ${wait}`, { ...detailsOf(answer), cause: answer });
  }
}

/** Whether `error` is a failure of a call, with one of these codes if any are given. */
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
