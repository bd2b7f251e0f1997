import { ClientError, type ErrorClass, errorOf } from './client-error.js';
import type { CompleteOptions, RequestEvent } from './options.js';
import { longestTimerMs, systemTime, type Time } from './time.js';

/** Maximum random delay before the second attempt; it doubles with each attempt. */
const firstBackoffSeconds = 0.5;
const longestBackoffSeconds = 8;

/**
 * Returns a `fetch` that retries, and resolves with a successful response whose body has arrived completely. It retries
 * errors that may be temporary, after `Retry-After` plus a random delay that grows with each attempt, so that clients
 * that were rejected together do not retry together. It only retries requests that are safe to repeat: those with an
 * idempotent method (RFC 9110, section 9.2.2) or with an Idempotency-Key. The request has no credentials; they are
 * added to what is sent, so that hooks cannot reveal it.
 *
 * @throws the error of the client, or what a hook throws.
 */
export function createRetryingFetch(options: CompleteOptions, time: Time = systemTime) {
  const { CallError, maxWaitSeconds, maxAttempts, hooks } = options;

  /** @param path the path in the contract, for the hooks. */
  return async (request: Request, path: string): Promise<Response> => {
    for (let attempt = 1; ; attempt += 1) {
      if (request.signal.aborted) throw abortedError(CallError, request);
      const event: RequestEvent = { path, attempt, request: request.clone() };
      const result = await sendWithHooks(event, options);
      if (!(result instanceof ClientError)) return result;
      const { retryAfterSeconds = 0 } = result;
      const isFinal = attempt >= maxAttempts || retryAfterSeconds > maxWaitSeconds;
      if (isFinal || !isRetryable(request, result)) throw result;
      const backoffSeconds = Math.min(longestBackoffSeconds, firstBackoffSeconds * 2 ** (attempt - 1));
      const waitSeconds = retryAfterSeconds + time.random() * backoffSeconds;
      await hooks.beforeRetry?.({ ...event, error: result, waitSeconds });
      await time.sleep(waitSeconds * 1000, request.signal);
    }
  };
}

async function sendWithHooks(event: RequestEvent, options: CompleteOptions): Promise<Response | ClientError> {
  const { hooks } = options;
  await hooks.beforeRequest?.(event);
  const startedAt = performance.now();
  const result = await sendOnce(event.request, options);
  const durationMs = performance.now() - startedAt;
  const [response, error] = result instanceof ClientError ? [result.response, result] : [result, undefined];
  await hooks.afterResponse?.({ ...event, durationMs, response, error });
  return result;
}

/**
 * Sends a request with the credentials, and reads the response. Returns an error instead of throwing it, so that an
 * exception in a hook is not retried.
 *
 * @throws TypeError if the body of the request has been read.
 */
async function sendOnce(
  request: Request,
  { CallError, fetch, authorize, timeoutSeconds }: CompleteOptions,
): Promise<Response | ClientError> {
  const timeout = AbortSignal.timeout(Math.min(Math.ceil(timeoutSeconds * 1000), longestTimerMs));
  // Throws if a hook has read the body: that is a mistake in the program, not a failure of the network.
  const sent = authorize(new Request(request, { signal: AbortSignal.any([request.signal, timeout]) }));
  try {
    const response = await fetch(sent);
    const bytes = await response.arrayBuffer();
    if (!response.ok) return errorOf(CallError, response, new TextDecoder().decode(bytes));
    return new Response(bytes.byteLength > 0 ? bytes : null, response);
  } catch (cause) {
    if (request.signal.aborted) return abortedError(CallError, request);
    return new CallError('network_failure', `No complete response from ${new URL(request.url).origin}.`, { cause });
  }
}

function abortedError(CallError: ErrorClass, { signal }: Request): ClientError {
  return new CallError('aborted', 'The call was aborted.', { cause: signal.reason });
}

/** Whether the request is safe to repeat, and may succeed later. */
function isRetryable({ method, headers }: Request, error: ClientError): boolean {
  if (!/^(GET|HEAD|PUT|DELETE)$/.test(method) && !headers.has('Idempotency-Key')) return false;
  if (error.code === 'network_failure' || error.code === 'idempotency_key_in_flight') return true;
  const { status = 0 } = error;
  return status === 408 || status === 429 || (status >= 500 && status !== 501);
}
