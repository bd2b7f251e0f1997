import { ClientError, type ErrorClass } from './client-error.js';
import type { ContractValues } from './contract-values.js';
import { type Credential, compileCredentials } from './credentials.js';
import type { Time } from './time.js';

/** What a published client of one contract has of its own. */
export interface ClientSettings<CallError extends ClientError = ClientError> {
  /** The product of `User-Agent`, such as `library-client`. Default: `User-Agent` is that of `fetch`. */
  readonly name?: string | undefined;
  /** An example of a base URL, for an error message. */
  readonly exampleUrl?: string | undefined;
  /** The class of errors. Default: `ClientError`. */
  readonly Error?: ErrorClass<CallError> | undefined;
  /** Waits before a retry. Default: `systemTime`. */
  readonly time?: Time | undefined;
}

/** @typeParam CallError the errors of the client. */
export interface ClientOptions<CallError extends ClientError = ClientError> {
  /** URL of the service, up to and including the path prefix: `https://api.example.com/v1`. */
  readonly baseUrl: string;
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

/** The options of any client: with the values of its contract. */
export interface AnyOptions extends ClientOptions {
  readonly contract?: ContractValues | undefined;
  readonly credentials?: Readonly<Record<string, Credential>> | undefined;
}

/** Fills in the defaults. @throws TypeError for a missing or invalid URL, credential or number. */
export function completeOptions(options: AnyOptions, settings: ClientSettings = {}) {
  const { baseUrl = '', hooks = {} } = options as Partial<typeof options>;
  // Looked up at each call, because tests and instrumentation replace it.
  const { fetch = (request: Request) => globalThis.fetch(request) } = options;
  const { contract = noValues, maxWaitSeconds = 60, maxAttempts = 6, timeoutSeconds = 30 } = options;
  const { Error: CallError = ClientError } = settings;
  requireBaseUrl(baseUrl, contract, settings);
  check(maxAttempts >= 1, 'maxAttempts must be at least 1.');
  check(timeoutSeconds > 0, 'timeoutSeconds must be above 0.');
  check(maxWaitSeconds >= 0, 'maxWaitSeconds must be at least 0.');
  const authorize = compileCredentials(contract.schemes, options.credentials);
  return { contract, CallError, baseUrl, authorize, hooks, fetch, maxWaitSeconds, maxAttempts, timeoutSeconds };
}

function requireBaseUrl(baseUrl: string, { pathPrefix }: ContractValues, { exampleUrl }: ClientSettings): void {
  const rule = pathPrefix === '' ? '' : ` that ends with ${pathPrefix}`;
  const example = exampleUrl ?? `https://api.example.com${pathPrefix}`;
  check(isBaseUrl(baseUrl, pathPrefix), `baseUrl must be a URL${rule}, such as ${example}.`);
}

const noValues: ContractValues = { version: '', pathPrefix: '', prefixes: {}, styles: {}, mediaTypes: {}, schemes: {} };

function check(isValid: boolean, message: string): void {
  if (!isValid) throw new TypeError(message);
}
