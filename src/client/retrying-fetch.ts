import { errorOf } from './error-of.js';
import { isPetstoreError, PetstoreError, WaitTooLongError } from './petstore-error.js';
import { longestTimerMs, type Time } from './time.js';

/** How long to go on asking. */
export interface Patience {
  /** The longest wait that the service may ask for between two attempts. */
  readonly maxWaitSeconds: number;
  /** How often a request is sent altogether. */
  readonly maxAttempts: number;
  /** How long one attempt may take, up to the last byte of the answer. */
  readonly timeoutSeconds: number;
}

/** The longest wait before the second attempt, where the service asks for none; it doubles from then on. */
const firstBackoffSeconds = 0.5;
const longestBackoffSeconds = 8;

/**
 * Sends requests until they are answered. It resolves with a success, whose body has arrived completely, and tries
 * again what may succeed later: after the seconds of `Retry-After`, and a random while on top that grows with each
 * attempt, so that many clients that were refused together do not return together. Only what may be sent twice is:
 * reading, and what has an Idempotency-Key.
 *
 * @throws PetstoreError
 */
export function createRetryingFetch(fetch: typeof globalThis.fetch, patience: Patience, time: Time) {
  const { maxWaitSeconds, maxAttempts, timeoutSeconds } = patience;

  return async (request: Request): Promise<Response> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await tryOnce(request);
      } catch (error) {
        if (!mayBeRepeated(request) || !isPassing(error)) throw error;
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
    const giveUp = () =>
      timeout.abort(new DOMException(`It took longer than ${String(timeoutSeconds)} s.`, 'TimeoutError'));
    const timer = setTimeout(giveUp, Math.min(timeoutSeconds * 1000, longestTimerMs));
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
      throw new PetstoreError('network_failure', `No whole answer came from ${new URL(request.url).origin}.`, {
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

function mayBeRepeated({ method, headers }: Request): boolean {
  return method === 'GET' || method === 'HEAD' || headers.has('Idempotency-Key');
}

/** Whether the same request may succeed later. */
function isPassing(error: unknown): error is PetstoreError {
  if (isPetstoreError(error, 'network_failure', 'idempotency_key_in_flight')) return true;
  const status = (isPetstoreError(error) && error.status) || 0;
  return status === 408 || status === 429 || (status >= 500 && status !== 501);
}
