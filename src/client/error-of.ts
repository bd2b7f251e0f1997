import type { components } from '../../generated/openapi.js';
import { parseJson } from './exact-json.js';
import { PetstoreError } from './petstore-error.js';

type ErrorBody = components['schemas']['Error'];

/** The error that an answer stands for: the service's own, or `unexpected_answer` if it is none of the contract's. */
export function errorOf(response: Response, text: string, nowMs: number): PetstoreError {
  const retryAfterSeconds = retryAfterSecondsOf(response.headers, nowMs);
  const body = errorBodyOf(text);
  if (body?.status !== response.status) return unexpectedAnswer(response, retryAfterSeconds);
  return new PetstoreError(body.code, body.message, {
    status: body.status,
    requestId: requestIdOf(response),
    retryAfterSeconds,
  });
}

export function unexpectedAnswer(response: Response, retryAfterSeconds?: number, cause?: unknown): PetstoreError {
  const { status } = response;
  const message = `The answer, ${String(status)}, is none of the contract's. Something between here and the service may have sent it.`;
  return new PetstoreError('unexpected_answer', message, {
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

/** Seconds, or a date (RFC 9110, section 10.2.3), which is compared with the sender's own clock if that is known. */
function retryAfterSecondsOf(headers: Headers, nowMs: number): number | undefined {
  const value = headers.get('Retry-After') ?? '';
  if (/^[0-9]+$/.test(value)) return Number(value);
  const until = parseDate(value);
  if (Number.isNaN(until)) return undefined;
  const sentAt = parseDate(headers.get('Date') ?? '');
  return Math.max(0, Math.ceil((until - (Number.isNaN(sentAt) ? nowMs : sentAt)) / 1000));
}

/** An HTTP date in any of its three forms, of which the oldest does not say that it is GMT; `NaN` for anything else. */
function parseDate(text: string): number {
  if (!/^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text)) return NaN;
  return Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
}
