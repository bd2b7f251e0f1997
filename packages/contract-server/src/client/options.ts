import type { ClientError, ErrorClass } from './client-error.js';
import { type Credential, compileCredentials, type SecurityScheme } from './credentials.js';
import type { ParameterStyles } from './parameters.js';

/** The parts of its contract that a client needs. */
export interface ClientSettings {
  /** The product of `User-Agent`, such as `library-client`. */
  readonly name: string;
  /** The version of the contract. */
  readonly version: string;
  /** The path prefix of every operation, such as `/v1`. */
  readonly pathPrefix: string;
  /** An example of a base URL, for an error message. */
  readonly exampleUrl: string;
  /** How parameters are serialized: `Contract['styles']` of the generated types. Default: each as its place does. */
  readonly styles?: ParameterStyles;
  /** The security schemes: `Contract['schemes']` of the generated types. Default: the API key is a bearer token. */
  readonly schemes?: Readonly<Record<string, SecurityScheme>>;
  readonly Error: ErrorClass;
}

/** @typeParam CallError the errors of the client. */
export interface ClientOptions<CallError extends ClientError = ClientError> {
  /** URL of the service, up to and including the path prefix: `https://api.example.com/v1`. */
  readonly baseUrl: string;
  /**
   * API key, from the operator of the service. In a web page, every visitor can read it. Required unless the settings
   * have `schemes`.
   */
  readonly apiKey?: string | undefined;
  /** The credentials of the caller, by the security schemes of the settings. Default: none. */
  readonly credentials?: Readonly<Record<string, Credential>> | undefined;
  /** Maximum `Retry-After` to wait for; with a longer one, the error is thrown. Default: 60. */
  readonly maxWaitSeconds?: number | undefined;
  /** Maximum number of times that a request is sent. Default: 6. */
  readonly maxAttempts?: number | undefined;
  /** Timeout of one attempt, including the response body. Default: 30. */
  readonly timeoutSeconds?: number | undefined;
  /** Functions for logs and metrics, called for each attempt. */
  readonly hooks?: ClientHooks<CallError> | undefined;
  /** Replaces the global `fetch`. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined;
  /** Aborts every call. */
  readonly signal?: AbortSignal | undefined;
}

/** One attempt to send a request. */
export interface RequestEvent {
  /** The path in the contract, such as `/books/{bookId}`: with `request.method`, a label for metrics. */
  readonly path: string;
  /** 1 for the first attempt of a call. */
  readonly attempt: number;
  /**
   * The request without its API key. `beforeRequest` can set headers, such as `traceparent`, and read the body of a
   * clone. In the other hooks, the body has been sent.
   */
  readonly request: Request;
}

export interface ResponseEvent<CallError extends ClientError = ClientError> extends RequestEvent {
  /** Duration of the attempt, including the response body. */
  readonly durationMs: number;
  /** The response, whose body has been read; `undefined` without one. */
  readonly response: Response | undefined;
  /** The error of a failed attempt; `undefined` if it succeeded. */
  readonly error: CallError | undefined;
}

export interface RetryEvent<CallError extends ClientError = ClientError> extends RequestEvent {
  /** The error of the attempt that is retried. */
  readonly error: CallError;
  /** How long the client waits before the next attempt. */
  readonly waitSeconds: number;
}

/**
 * Functions for logs and metrics. A promise that they return is awaited. An exception in a hook rejects the call, which
 * is not retried.
 */
export interface ClientHooks<CallError extends ClientError = ClientError> {
  /** Called before each attempt. */
  readonly beforeRequest?: ((event: RequestEvent) => unknown) | undefined;
  /** Called after each attempt: with the response, or without one if there was none. */
  readonly afterResponse?: ((event: ResponseEvent<CallError>) => unknown) | undefined;
  /** Called before the wait for another attempt. */
  readonly beforeRetry?: ((event: RetryEvent<CallError>) => unknown) | undefined;
}

/** The options with their defaults, without `signal`. */
export type CompleteOptions = ReturnType<typeof completeOptions>;

/** A URL or, in a page, a path. It has no password, which `fetch` would include in its errors. */
function isBaseUrl(text: string, pathPrefix: string): boolean {
  return /^(https?:\/\/[^/?#@\s]+)?(\/[^?#\s]*)?$/.test(text) && text.replace(/\/$/, '').endsWith(pathPrefix);
}

/** Fills in the defaults. @throws TypeError for a missing or invalid URL or API key, or an invalid `maxAttempts`. */
export function completeOptions(settings: ClientSettings, options: ClientOptions) {
  const { pathPrefix, exampleUrl } = settings;
  const { baseUrl = '', hooks = {} } = options as Partial<typeof options>;
  // Looked up at each call, because tests and instrumentation replace it.
  const { fetch = (request: Request) => globalThis.fetch(request) } = options;
  const { maxWaitSeconds = 60, maxAttempts = 6, timeoutSeconds = 30 } = options;
  check(isBaseUrl(baseUrl, pathPrefix), `baseUrl must be a URL that ends with ${pathPrefix}, such as ${exampleUrl}.`);
  check(maxAttempts >= 1, 'maxAttempts must be at least 1.');
  const authorize = authorizeOf(settings, options);
  return { CallError: settings.Error, baseUrl, authorize, hooks, fetch, maxWaitSeconds, maxAttempts, timeoutSeconds };
}

function authorizeOf({ schemes }: ClientSettings, { apiKey = '', credentials = {} }: ClientOptions) {
  if (schemes !== undefined) return compileCredentials(schemes, credentials);
  return compileCredentials({ apiKey: { type: 'http', scheme: 'bearer' } }, { apiKey });
}

function check(isValid: boolean, message: string): void {
  if (!isValid) throw new TypeError(message);
}
