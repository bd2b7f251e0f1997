import { parseJson } from './exact-json.js';

/**
 * An error code of the client: `network_failure` (no complete response), `aborted` (by the caller), or
 * `unexpected_response` (a response that does not conform to the contract, such as the HTML page of a proxy).
 */
export type ClientErrorCode = 'network_failure' | 'aborted' | 'unexpected_response';

type StatusOf<Code, Statuses> = Code extends keyof Statuses
  ? Statuses[Code]
  : Code extends 'network_failure' | 'aborted'
    ? undefined
    : number | undefined;

export interface ErrorDetails {
  readonly response?: Response | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly cause?: unknown;
}

/** The error of a call. A client extends it. `Statuses` has the status of each code of the contract. */
export class ClientError<Code extends string = string, Statuses = object> extends Error {
  override readonly name: string = 'ClientError';
  /** The HTTP status; `undefined` without a response. */
  readonly status: StatusOf<Code, Statuses>;
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
    this.status = response?.status as StatusOf<Code, Statuses>;
    this.requestId = response?.headers.get('X-Request-Id') ?? undefined;
    this.retryAfterSeconds = retryAfterSeconds;
    Object.defineProperty(this, 'response', { value: response });
  }
}

/** The class of the errors of a client. */
export type ErrorClass = new (code: string, message: string, details?: ErrorDetails) => ClientError;

/** Converts an error response to an error: `unexpected_response` if the response does not conform to the contract. */
export function errorOf(CallError: ErrorClass, response: Response, text: string): ClientError {
  // Seconds (RFC 9110, section 10.2.3); the service never sends a date.
  const [retryAfter] = /^[0-9]+$/.exec(response.headers.get('Retry-After') ?? '') ?? [];
  const retryAfterSeconds = retryAfter === undefined ? undefined : Number(retryAfter);
  try {
    const { code, message, status } = parseJson(text) as Readonly<Record<string, unknown>>;
    if (typeof code === 'string' && typeof message === 'string' && status === response.status)
      return new CallError(code, message, { response, retryAfterSeconds });
  } catch {
    // Not JSON, or null.
  }
  return unexpectedResponse(CallError, response, { retryAfterSeconds });
}

export function unexpectedResponse(
  CallError: ErrorClass,
  response: Response,
  details: Omit<ErrorDetails, 'response'> = {},
): ClientError {
  const status = String(response.status);
  const message = `The response (status ${status}) does not conform to the contract. A proxy may have sent it.`;
  return new CallError('unexpected_response', message, { response, ...details });
}
