import type { PetstoreError } from './petstore-error.js';

/** One attempt to send a request. */
export interface RequestEvent {
  /** The path in the contract, such as `/pets/{petId}`: with `request.method`, a label for metrics. */
  readonly path: string;
  /** 1 for the first attempt of a call. */
  readonly attempt: number;
  /**
   * The request without its API key. `beforeRequest` can set headers, such as `traceparent`, and read the body of a
   * clone. In the other hooks, the body has been sent.
   */
  readonly request: Request;
}

export interface ResponseEvent extends RequestEvent {
  /** Duration of the attempt, including the response body. */
  readonly durationMs: number;
  /** The response, whose body has been read; `undefined` without one. */
  readonly response: Response | undefined;
  /** The error of a failed attempt; `undefined` if it succeeded. */
  readonly error: PetstoreError | undefined;
}

export interface RetryEvent extends RequestEvent {
  /** The error of the attempt that is retried. */
  readonly error: PetstoreError;
  /** How long the client waits before the next attempt. */
  readonly waitSeconds: number;
}

/**
 * Functions for logs and metrics. A promise that they return is awaited. An exception in a hook rejects the call, which
 * is not retried.
 */
export interface ClientHooks {
  /** Called before each attempt. */
  readonly beforeRequest?: ((event: RequestEvent) => unknown) | undefined;
  /** Called after each attempt: with the response, or without one if there was none. */
  readonly afterResponse?: ((event: ResponseEvent) => unknown) | undefined;
  /** Called before the wait for another attempt. */
  readonly beforeRetry?: ((event: RetryEvent) => unknown) | undefined;
}
