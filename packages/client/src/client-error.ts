import { parseJson } from './exact-json.js';
import { isJson, isText, mediaTypeOf } from './media-kinds.js';

/**
 * An error code of the client: `network_failure` (no complete response), `aborted` (by the caller), `http_error` (an
 * error whose body has no code), or `unexpected_response` (a response that does not conform to the contract, such as
 * the HTML page of a proxy).
 */
export type ClientErrorCode = 'network_failure' | 'aborted' | 'http_error' | 'unexpected_response';

type StatusOf<Code, Statuses> = Code extends keyof Statuses
  ? Statuses[Code]
  : Code extends 'network_failure' | 'aborted'
    ? undefined
    : number | undefined;

export interface ErrorDetails {
  readonly response?: Response | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly body?: unknown;
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
  /** The body of the response: the value of JSON, or text; `undefined` without one. Not enumerable either. */
  declare readonly body: unknown;

  constructor(
    /** Machine-readable error code; codes may be added. */
    readonly code: Code,
    message: string,
    { response, retryAfterSeconds, body, cause }: ErrorDetails = {},
  ) {
    super(message, { cause });
    this.status = response?.status as StatusOf<Code, Statuses>;
    this.requestId = response?.headers.get('X-Request-Id') ?? undefined;
    this.retryAfterSeconds = retryAfterSeconds;
    Object.defineProperties(this, { response: { value: response }, body: { value: body } });
  }
}

/** The class of the errors of a client. */
export type ErrorClass<CallError extends ClientError = ClientError> = new (
  code: string,
  message: string,
  details?: ErrorDetails,
) => CallError;

/**
 * Converts an error response to an error: with the `code` and the `message` of its body, if that has both; otherwise
 * `http_error` with what the body says, such as the `detail` of RFC 9457; `unexpected_response` for a redirect, for the
 * HTML page of a proxy, and for a body that states another status.
 */
export function errorOf(CallError: ErrorClass, response: Response, text: string): ClientError {
  const type = response.headers.get('Content-Type') ?? '';
  const body = isJson(type) ? parseOr(text) : text || undefined;
  const details = { response, retryAfterSeconds: retryAfterOf(response.headers), body };
  const { code, status = response.status } = Object(body) as Readonly<Record<string, unknown>>;
  const isOther = response.status < 400 || (typeof status === 'number' && status !== response.status);
  if (isOther || !isReadable(type, body)) return unexpectedResponse(CallError, response, details);
  return new CallError(typeof code === 'string' ? code : 'http_error', messageOf(body, response.status), details);
}

/** Whether a body is for programs, unlike the page of a proxy. */
function isReadable(type: string, body: unknown): boolean {
  return body === undefined || isJson(type) || (isText(type) && !/html/.test(mediaTypeOf(type)));
}

function messageOf(body: unknown, status: number): string {
  const { message, detail, title } = Object(body) as Readonly<Record<string, unknown>>;
  const texts = [message, detail, title, body, `The response has the status ${String(status)}.`];
  return (texts.find((each) => typeof each === 'string' && each !== '') as string).slice(0, messageLengthMax);
}

/** The length of a message from a text of the server. */
const messageLengthMax = 1000;

/** The value of a JSON text; any other text as it is, and `undefined` for an empty one. */
function parseOr(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return text || undefined;
  }
}

/** Seconds, or a date, from which the `Date` of the response is subtracted (RFC 9110, section 10.2.3). */
function retryAfterOf(headers: Headers): number | undefined {
  const text = headers.get('Retry-After') ?? '';
  if (/^[0-9]+$/.test(text)) return Number(text);
  // Its oldest format does not name the time zone (RFC 9110, section 5.6.7).
  const until = /^[A-Z]/.test(text) ? Date.parse(text.replace(/( GMT)?$/, ' GMT')) : NaN;
  if (Number.isNaN(until)) return undefined;
  // The clocks of the client and the server may differ.
  const sentAt = Date.parse(headers.get('Date') ?? '') || Date.now();
  return Math.max(0, Math.ceil((until - sentAt) / 1000));
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
