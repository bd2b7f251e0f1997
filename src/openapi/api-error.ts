import type { ErrorCode } from './types.js';

export interface ApiErrorOptions {
  /** Additional headers of the response. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The underlying error: for the log, never for the client. */
  readonly cause?: unknown;
}

/**
 * An error that the client receives and can act on. The contract defines the code and its status; the message describes
 * what to do. Anything else that is thrown is a defect, and returns 500.
 *
 * It does not extend `Error`: capturing a stack trace takes longer than everything else that rejects a request.
 */
export class ApiError {
  readonly headers: Readonly<Record<string, string>>;
  readonly cause: unknown;

  constructor(
    readonly code: ErrorCode,
    readonly message: string,
    { headers = {}, cause }: ApiErrorOptions = {},
  ) {
    this.headers = headers;
    this.cause = cause;
  }
}

const retryAfterOneSecond = { 'Retry-After': '1' };

/** 503: the storage does not respond, is full, read-only or damaged. */
export function storeUnavailable(cause: unknown): ApiError {
  const message = 'The storage is unavailable. Retry after the time in Retry-After.';
  return new ApiError('store_unavailable', message, { headers: retryAfterOneSecond, cause });
}

/**
 * The start of an outage of a store, a further reason for it, or its end, while clients receive `store_unavailable`; or
 * a loss of counters. For the log.
 */
export class StoreEvent {
  constructor(
    readonly kind: 'storage outage' | 'storage recovered' | 'counters lost',
    readonly message: string,
  ) {}
}

/** 503: the server has reached the number of requests that it handles at a time. */
export function serverBusy(): ApiError {
  const message = 'The server is overloaded. Retry after the time in Retry-After.';
  return new ApiError('server_busy', message, { headers: retryAfterOneSecond });
}

/** 400: a cursor that was not issued for this list. */
export function invalidCursor(): ApiError {
  const resolution = 'Request the first page without a cursor, and follow the next links unchanged.';
  return new ApiError('invalid_cursor', `The cursor is invalid for this list. ${resolution}`);
}
