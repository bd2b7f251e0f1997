import type { PathPrefix } from '../../generated/extensions.js';
import type { ClientHooks } from './hooks.js';

export interface PetstoreClientOptions {
  /** URL of the service, up to and including the path prefix: `https://api.petstore.example/v1`. */
  readonly baseUrl: string;
  /** API key, from the operator of the service. In a web page, every visitor can read it. */
  readonly apiKey: string;
  /** Maximum `Retry-After` to wait for; with a longer one, the error is thrown. Default: 60. */
  readonly maxWaitSeconds?: number | undefined;
  /** Maximum number of times that a request is sent. Default: 6. */
  readonly maxAttempts?: number | undefined;
  /** Timeout of one attempt, including the response body. Default: 30. */
  readonly timeoutSeconds?: number | undefined;
  /** Functions for logs and metrics, called for each attempt. */
  readonly hooks?: ClientHooks | undefined;
  /** Replaces the global `fetch`. */
  readonly fetch?: Fetch | undefined;
  /** Aborts every call. */
  readonly signal?: AbortSignal | undefined;
}

/** Sends a request. The global `fetch` of every platform is one. */
export type Fetch = (request: Request) => Promise<Response>;

/** The options with their defaults, without `signal`. */
export type CompleteOptions = ReturnType<typeof completeOptions>;

const pathPrefix: PathPrefix = '/v1';
const exampleUrl = `https://api.petstore.example${pathPrefix}`;
/** A URL or, in a page, a path. It has no password, which `fetch` would include in its errors. */
const baseUrlForm = new RegExp(`^(https?://[^/?#@\\s]+)?(/[^?#\\s]*)?${pathPrefix}/?$`);

/** Fills in the defaults. @throws TypeError for a missing or invalid URL or API key. */
export function completeOptions(options: PetstoreClientOptions) {
  const { baseUrl = '', apiKey = '', hooks = {}, fetch = platformFetch } = options as Partial<typeof options>;
  if (!baseUrlForm.test(baseUrl))
    throw new TypeError(`baseUrl must be a URL that ends with ${pathPrefix}, such as ${exampleUrl}.`);
  if (!/^[!-~]+$/.test(apiKey))
    throw new TypeError('apiKey must be visible ASCII characters. Check the variable that contains it.');
  const { maxWaitSeconds = 60, maxAttempts = 6, timeoutSeconds = 30 } = options;
  return { baseUrl, apiKey, hooks, fetch, maxWaitSeconds, maxAttempts, timeoutSeconds };
}

/** Looks `fetch` up at each call, because tests and instrumentation replace it. */
const platformFetch: Fetch = (request) => globalThis.fetch(request);
