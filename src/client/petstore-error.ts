import type { ErrorStatuses } from '../../generated/extensions.js';
import type { components } from '../../generated/openapi.js';
import { parseJson } from './exact-json.js';
import { type RateLimit, rateLimitOf, requestIdOf, retryAfterSecondsOf } from './response-headers.js';

/** An error code of the service; `errorCodes` documents each. */
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

/**
 * The error codes of the service, with the cause and the resolution of each as documentation:
 * `isPetstoreError(error, errorCodes.pet_not_found)`. The codes are known at compile time only: each property returns
 * its own name.
 */
export const errorCodes: { readonly [Code in keyof ErrorStatuses]: Code } = /* @__PURE__ */ new Proxy(
  {} as { readonly [Code in keyof ErrorStatuses]: Code },
  { get: (_, code) => code },
);

export interface ErrorDetails {
  readonly response?: Response | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly cause?: unknown;
}

/** The error of a call. Use `isPetstoreError` to narrow it by its code. */
export class PetstoreError<Code extends string = PetstoreErrorCode> extends Error {
  override readonly name: string = 'PetstoreError';
  /** The HTTP status; `undefined` without a response. */
  readonly status: StatusOf<Code>;
  /** Identifies the request in the log of the service. Include it in problem reports. */
  readonly requestId: string | undefined;
  /** The `Retry-After` of the response. */
  readonly retryAfterSeconds: number | undefined;
  /** The rate limit that the response reported. */
  readonly rateLimit: RateLimit | undefined;
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
    this.requestId = response && requestIdOf(response.headers);
    this.retryAfterSeconds = retryAfterSeconds;
    this.rateLimit = response && rateLimitOf(response.headers);
    Object.defineProperty(this, 'response', { value: response });
  }
}

/** `Retry-After` is longer than `maxWaitSeconds`. `code` and `status` are those of the response error, its `cause`. */
export class WaitTooLongError extends PetstoreError {
  override readonly name = 'WaitTooLongError';
  declare readonly retryAfterSeconds: number;

  constructor(error: PetstoreError, maxWaitSeconds: number) {
    const { code, message, response, retryAfterSeconds } = error;
    const wait =
      `The service requires a wait of ${String(retryAfterSeconds)} s; the client waits at most ` +
      `${String(maxWaitSeconds)} s.`;
    super(code, `${message} ${wait}`, { response, retryAfterSeconds, cause: error });
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

/** Converts an error response to an error: `unexpected_response` if the response does not conform to the contract. */
export function errorOf(response: Response, text: string, nowMs: number): PetstoreError {
  const retryAfterSeconds = retryAfterSecondsOf(response.headers, nowMs);
  const body = errorBodyOf(text);
  if (body?.status !== response.status) return unexpectedResponse(response, { retryAfterSeconds });
  return new PetstoreError(body.code, body.message, { response, retryAfterSeconds });
}

export function unexpectedResponse(
  response: Response,
  details: { readonly retryAfterSeconds?: number | undefined; readonly cause?: unknown } = {},
): PetstoreError {
  const status = String(response.status);
  const message = `The response (status ${status}) does not conform to the contract. A proxy may have sent it.`;
  return new PetstoreError('unexpected_response', message, { response, ...details });
}

type ErrorBody = components['schemas']['Error'];

function errorBodyOf(text: string): ErrorBody | undefined {
  try {
    const body = parseJson(text) as Partial<ErrorBody> | null;
    return typeof body?.code === 'string' && typeof body.message === 'string' ? (body as ErrorBody) : undefined;
  } catch {
    return undefined;
  }
}
