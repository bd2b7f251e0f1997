import type { ErrorStatuses } from '../../generated/extensions.js';
import { parseJson } from './exact-json.js';

/** An error code of the service; the API reference describes each. */
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

interface ErrorDetails {
  readonly response?: Response | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly cause?: unknown;
}

/** The error of a call. Use `isPetstoreError` to narrow it by its code. */
export class PetstoreError<Code extends string = PetstoreErrorCode> extends Error {
  override readonly name = 'PetstoreError';
  /** The HTTP status; `undefined` without a response. */
  readonly status: StatusOf<Code>;
  /** Identifies the request in the log of the service. Include it in problem reports. */
  readonly requestId: string | undefined;
  /** The `Retry-After` of the response: the client does not wait longer than `maxWaitSeconds`. */
  readonly retryAfterSeconds: number | undefined;
  /** The response, whose body has been read; `undefined` without one. Not enumerable, so that logs stay short. */
  declare readonly response: Response | undefined;

  constructor(
    /** Machine-readable error code; codes may be added. */
    readonly code: Code,
    message: string,
    { response, retryAfterSeconds, cause }: ErrorDetails = {},
  ) {
    super(message, { cause });
    this.status = response?.status as StatusOf<Code>;
    this.requestId = response?.headers.get('X-Request-Id') ?? undefined;
    this.retryAfterSeconds = retryAfterSeconds;
    Object.defineProperty(this, 'response', { value: response });
  }
}

/** Whether `error` is a `PetstoreError`, with one of these codes if any are given. */
export function isPetstoreError<Code extends PetstoreErrorCode = PetstoreErrorCode>(
  error: unknown,
  ...codes: readonly Code[]
): error is PetstoreError<Code> {
  return error instanceof PetstoreError && (codes.length === 0 || codes.some((code) => code === error.code));
}

/** Converts an error response to an error: `unexpected_response` if the response does not conform to the contract. */
export function errorOf(response: Response, text: string): PetstoreError {
  // Seconds (RFC 9110, section 10.2.3); the service never sends a date.
  const [retryAfter] = /^[0-9]+$/.exec(response.headers.get('Retry-After') ?? '') ?? [];
  const retryAfterSeconds = retryAfter === undefined ? undefined : Number(retryAfter);
  try {
    const { code, message, status } = parseJson(text) as Readonly<Record<string, unknown>>;
    if (typeof code === 'string' && typeof message === 'string' && status === response.status)
      return new PetstoreError(code, message, { response, retryAfterSeconds });
  } catch {
    // Not JSON, or null.
  }
  return unexpectedResponse(response, { retryAfterSeconds });
}

export function unexpectedResponse(response: Response, details: Omit<ErrorDetails, 'response'> = {}): PetstoreError {
  const status = String(response.status);
  const message = `The response (status ${status}) does not conform to the contract. A proxy may have sent it.`;
  return new PetstoreError('unexpected_response', message, { response, ...details });
}
