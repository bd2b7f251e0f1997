import { errorOf } from './error-of.js';
import { isPetstoreError, PetstoreError, WaitTooLongError } from './petstore-error.js';
import { longestTimerMs, type Time } from './time.js';

export interface RetryOptions {
  /** Maximum wait between two attempts that the service may request. */
  readonly maxWaitSeconds: number;
  /** Maximum number of times that a request is sent. */
  readonly maxAttempts: number;
  /** Timeout of one attempt, including the response body. */
  readonly timeoutSeconds: number;
}

/** Maximum random delay before the second attempt; it doubles with each attempt. */
const firstBackoffSeconds = 0.5;
const longestBackoffSeconds = 8;

/**
 * Returns a `fetch` that retries, and resolves with a successful response whose body has arrived completely. It retries
 * errors that may be temporary, after `Retry-After` plus a random delay that grows with each attempt, so that clients
 * that were rejected together do not retry together. It only retries requests that are safe to repeat: those with an
 * idempotent method (RFC 9110, section 9.2.2) or with an Idempotency-Key.
 *
 * @throws PetstoreError
 */
export function createRetryingFetch(fetch: typeof globalThis.fetch, options: RetryOptions, time: Time) {
  const { maxWaitSeconds, maxAttempts, timeoutSeconds } = options;

  return async (request: Request): Promise<Response> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await tryOnce(request);
      } catch (error) {
        if (!isRepeatable(request) || !isTemporary(error)) throw error;
        const { retryAfterSeconds = 0 } = error;
        if (retryAfterSeconds > maxWaitSeconds) throw new WaitTooLongError(error, maxWaitSeconds);
        if (attempt >= maxAttempts) throw error;
        const waitSeconds = Math.min(retryAfterSeconds + backoffSeconds(attempt), maxWaitSeconds);
        await time.sleep(waitSeconds * 1000, request.signal);
      }
    }
  };

  async function tryOnce(request: Request): Promise<Response> {
    const timeout = new AbortController();
    const onTimeout = () =>
      timeout.abort(new DOMException(`The attempt took longer than ${String(timeoutSeconds)} s.`, 'TimeoutError'));
    const timer = setTimeout(onTimeout, Math.min(timeoutSeconds * 1000, longestTimerMs));
    try {
      request.signal.throwIfAborted();
      const response = await fetch(request.clone(), { signal: AbortSignal.any([request.signal, timeout.signal]) });
      const text = await response.text();
      if (!response.ok) throw errorOf(response, text, time.now());
      return new Response(text === '' ? null : text, response);
    } catch (error) {
      if (error instanceof PetstoreError) throw error;
      if (request.signal.aborted)
        throw new PetstoreError('aborted', 'The call was aborted.', { cause: request.signal.reason });
      throw new PetstoreError('network_failure', `No complete response from ${new URL(request.url).origin}.`, {
        cause: error,
      });
    } finally {
      clearTimeout(timer);
    }
  }

  function backoffSeconds(attempt: number): number {
    return time.random() * Math.min(longestBackoffSeconds, firstBackoffSeconds * 2 ** (attempt - 1));
  }
}

function isRepeatable({ method, headers }: Request): boolean {
  return /^(GET|HEAD|PUT|DELETE)$/.test(method) || headers.has('Idempotency-Key');
}

/** Whether the same request may succeed later. */
function isTemporary(error: unknown): error is PetstoreError {
  if (isPetstoreError(error, 'network_failure', 'idempotency_key_in_flight')) return true;
  const status = (isPetstoreError(error) && error.status) || 0;
  return status === 408 || status === 429 || (status >= 500 && status !== 501);
}
