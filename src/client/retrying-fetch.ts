import type { ClientHooks, RequestEvent } from './hooks.js';
import { isPetstoreError, PetstoreError, WaitTooLongError } from './petstore-error.js';
import { abortedError, type CompleteResponse, type SendOptions, sendOnce } from './send-once.js';
import type { Time } from './time.js';

export interface RetryOptions extends SendOptions {
  /** Maximum `Retry-After` to wait for. */
  readonly maxWaitSeconds: number;
  /** Maximum number of times that a request is sent. */
  readonly maxAttempts: number;
  readonly hooks: ClientHooks;
}

/** Maximum random delay before the second attempt; it doubles with each attempt. */
const firstBackoffSeconds = 0.5;
const longestBackoffSeconds = 8;

/**
 * Returns a `fetch` that retries, and resolves with a successful response whose body has arrived completely. It retries
 * errors that may be temporary, after `Retry-After` plus a random delay that grows with each attempt, so that clients
 * that were rejected together do not retry together. It only retries requests that are safe to repeat: those with an
 * idempotent method (RFC 9110, section 9.2.2) or with an Idempotency-Key. The request has no API key; it is added to
 * what is sent, so that hooks cannot reveal it.
 *
 * @throws PetstoreError, or what a hook throws.
 */
export function createRetryingFetch(options: RetryOptions, time: Time) {
  const { maxWaitSeconds, maxAttempts, hooks } = options;

  /** @param path the path in the contract, for the hooks. */
  return async (request: Request, path: string): Promise<Response> => {
    for (let attempt = 1; ; attempt += 1) {
      if (request.signal.aborted) throw abortedError(request);
      const event: RequestEvent = { path, attempt, request: request.clone() };
      const result = await tryOnce(event);
      if (!(result instanceof PetstoreError)) return new Response(result.text || null, result.response);
      if (!isRepeatable(request) || !isTemporary(result)) throw result;
      const waitSeconds = waitSecondsAfter(result, attempt);
      await hooks.beforeRetry?.({ ...event, error: result, waitSeconds });
      await time.sleep(waitSeconds * 1000, request.signal);
    }
  };

  /** Returns a PetstoreError instead of throwing it, so that an exception in a hook is not retried. */
  async function tryOnce(event: RequestEvent): Promise<CompleteResponse | PetstoreError> {
    await hooks.beforeRequest?.(event);
    const startedAt = performance.now();
    const result = await sendOnce(event.request, options, time).catch((error: unknown) => {
      if (error instanceof PetstoreError) return error;
      throw error;
    });
    const durationMs = performance.now() - startedAt;
    const error = result instanceof PetstoreError ? result : undefined;
    await hooks.afterResponse?.({ ...event, durationMs, response: result.response, error });
    return result;
  }

  /** @throws PetstoreError if there is no further attempt. */
  function waitSecondsAfter(error: PetstoreError, attempt: number): number {
    const { retryAfterSeconds = 0 } = error;
    if (retryAfterSeconds > maxWaitSeconds) throw new WaitTooLongError(error, maxWaitSeconds);
    if (attempt >= maxAttempts) throw error;
    return (
      retryAfterSeconds + time.random() * Math.min(longestBackoffSeconds, firstBackoffSeconds * 2 ** (attempt - 1))
    );
  }
}

function isRepeatable({ method, headers }: Request): boolean {
  return /^(GET|HEAD|PUT|DELETE)$/.test(method) || headers.has('Idempotency-Key');
}

/** Whether the same request may succeed later. */
function isTemporary(error: PetstoreError): boolean {
  if (isPetstoreError(error, 'network_failure', 'idempotency_key_in_flight')) return true;
  const { status = 0 } = error;
  return status === 408 || status === 429 || (status >= 500 && status !== 501);
}
