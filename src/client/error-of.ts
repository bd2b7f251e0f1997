import type { components } from '../../generated/openapi.js';
import { parseJson } from './exact-json.js';
import { PetstoreError } from './petstore-error.js';
import { retryAfterSecondsOf } from './response-headers.js';

type ErrorBody = components['schemas']['Error'];

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

function errorBodyOf(text: string): ErrorBody | undefined {
  try {
    const body = parseJson(text) as Partial<ErrorBody> | null;
    return typeof body?.code === 'string' && typeof body.message === 'string' ? (body as ErrorBody) : undefined;
  } catch {
    return undefined;
  }
}
