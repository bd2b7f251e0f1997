import type { Fetch } from './options.js';
import { errorOf, PetstoreError } from './petstore-error.js';
import { longestTimerMs, type Time } from './time.js';

export interface SendOptions {
  readonly fetch: Fetch;
  readonly apiKey: string;
  /** Timeout of one attempt, including the response body. */
  readonly timeoutSeconds: number;
  /** Maximum size of a response body. */
  readonly maxResponseBytes: number;
}

/** A response that has arrived completely. */
export interface CompleteResponse {
  readonly response: Response;
  readonly text: string;
}

/**
 * Sends a request with the API key.
 *
 * @throws PetstoreError, also for a response with an error status.
 * @throws TypeError if the body of the request has been read.
 */
export async function sendOnce(request: Request, options: SendOptions, time: Time): Promise<CompleteResponse> {
  const { fetch, apiKey, timeoutSeconds, maxResponseBytes } = options;
  const timeout = new AbortController();
  const headers = new Headers(request.headers);
  headers.set('Authorization', `Bearer ${apiKey}`);
  // Throws if a hook has read the body: that is a mistake in the program, not a failure of the network.
  const sent = new Request(request, { headers, signal: AbortSignal.any([request.signal, timeout.signal]) });
  const onTimeout = () =>
    timeout.abort(new DOMException(`The attempt took longer than ${String(timeoutSeconds)} s.`, 'TimeoutError'));
  const timer = setTimeout(onTimeout, Math.min(timeoutSeconds * 1000, longestTimerMs));
  try {
    const response = await fetch(sent);
    const text = await readText(response, maxResponseBytes);
    if (text === undefined || !response.ok) throw errorOf(response, text ?? '', time.now());
    return { response, text };
  } catch (error) {
    if (error instanceof PetstoreError) throw error;
    if (request.signal.aborted) throw abortedError(request);
    throw new PetstoreError('network_failure', `No complete response from ${new URL(request.url).origin}.`, {
      cause: error,
    });
  } finally {
    clearTimeout(timer);
  }
}

export function abortedError({ signal }: Request): PetstoreError {
  return new PetstoreError('aborted', 'The call was aborted.', { cause: signal.reason });
}

/** Reads the body as UTF-8; `undefined` if it exceeds `bytesMax`, without reading the rest. */
async function readText(response: Response, bytesMax: number): Promise<string | undefined> {
  // Responses in React Native have no stream.
  const reader = (response.body as Response['body'] | undefined)?.getReader();
  if (reader === undefined) return response.text();
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    bytes += chunk.value.byteLength;
    if (bytes > bytesMax) {
      await reader.cancel();
      return undefined;
    }
    text += decoder.decode(chunk.value, { stream: true });
  }
  return text + decoder.decode();
}
