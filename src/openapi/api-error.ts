import type { ErrorCode } from './types.js';

export interface ApiErrorOptions {
  /** Further headers of the answer. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What went wrong behind it: for the log, never for the client. */
  readonly cause?: unknown;
}

/**
 * A request is refused for a reason on which its sender can act. The contract knows the code and its status; the
 * message says what to do. Anything else that is thrown is a defect, and answered 500.
 */
export class ApiError extends Error {
  override readonly name = 'Refusal';
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    readonly code: ErrorCode,
    message: string,
    { headers = {}, cause }: ApiErrorOptions = {},
  ) {
    // V8 would note from where it is thrown, which takes longer than all else about a refusal. Nobody reads it: a
    // refusal is no defect.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message, { cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.headers = headers;
  }
}

/** The storage does not answer, is full, read-only or damaged: 503, and worth another try after a second. */
export function storeUnavailable(cause: unknown): ApiError {
  return new ApiError(
    'store_unavailable',
    'The storage does not answer for the moment. Retry after the time given in Retry-After.',
    {
      headers: { 'Retry-After': '1' },
      cause,
    },
  );
}

/** More requests arrive than the server works on at a time: 503, and worth another try after a second. */
export function serverBusy(): ApiError {
  return new ApiError(
    'server_busy',
    'The server has too much to do for the moment. Retry after the time given in Retry-After.',
    {
      headers: { 'Retry-After': '1' },
    },
  );
}
