import type { components } from '../../generated/openapi.js';
import { parseJson } from './exact-json.js';
import { PetstoreError } from './petstore-error.js';

type ErrorBody = components['schemas']['Error'];

/** Converts an error response to an error: `unexpected_response` if the response does not conform to the contract. */
export function errorOf(response: Response, text: string, nowMs: number): PetstoreError {
  const retryAfterSeconds = retryAfterSecondsOf(response.headers, nowMs);
  const body = errorBodyOf(text);
  if (body?.status !== response.status) return unexpectedResponse(response, retryAfterSeconds);
  return new PetstoreError(body.code, body.message, {
    status: body.status,
    requestId: requestIdOf(response),
    retryAfterSeconds,
  });
}

export function unexpectedResponse(response: Response, retryAfterSeconds?: number, cause?: unknown): PetstoreError {
  const { status } = response;
  const message = `The response (status ${String(status)}) does not conform to the contract. A proxy may have sent it.`;
  return new PetstoreError('unexpected_response', message, {
    status,
    requestId: requestIdOf(response),
    retryAfterSeconds,
    cause,
  });
}

function requestIdOf({ headers }: Response): string | undefined {
  return headers.get('X-Request-Id') ?? undefined;
}

function errorBodyOf(text: string): ErrorBody | undefined {
  try {
    const body = parseJson(text) as Partial<ErrorBody> | null;
    return typeof body?.code === 'string' && typeof body.message === 'string' ? (body as ErrorBody) : undefined;
  } catch {
    return undefined;
  }
}

/** `Retry-After` is a number of seconds or a date (RFC 9110, section 10.2.3), relative to `Date` if that is present. */
function retryAfterSecondsOf(headers: Headers, nowMs: number): number | undefined {
  const value = headers.get('Retry-After') ?? '';
  if (/^[0-9]+$/.test(value)) return Number(value);
  const until = parseDate(value);
  if (Number.isNaN(until)) return undefined;
  const sentAt = parseDate(headers.get('Date') ?? '');
  return Math.max(0, Math.ceil((until - (Number.isNaN(sentAt) ? nowMs : sentAt)) / 1000));
}

/** Parses an HTTP date in any of its three formats, the oldest of which has no time zone; `NaN` if it is invalid. */
function parseDate(text: string): number {
  if (!/^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text)) return NaN;
  return Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
}
