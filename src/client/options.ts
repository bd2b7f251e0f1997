import type { PathPrefix } from '../../generated/extensions.js';
import type { ClientHooks } from './hooks.js';

export interface PetstoreClientOptions {
  /** URL of the service, up to and including the path prefix: `https://api.petstore.example/v1`. */
  readonly baseUrl: string;
  /** API key, from the operator of the service. In a web page, every visitor can read it. */
  readonly apiKey: string;
  /** Maximum `Retry-After` to wait for; a longer one throws `WaitTooLongError`. Default: 60. */
  readonly maxWaitSeconds?: number | undefined;
  /** Maximum number of times that a request is sent. Default: 6. */
  readonly maxAttempts?: number | undefined;
  /** Timeout of one attempt, including the response body. Default: 30. */
  readonly timeoutSeconds?: number | undefined;
  /** Maximum size of a response body, uncompressed; a larger one throws `unexpected_response`. Default: 10 MiB. */
  readonly maxResponseBytes?: number | undefined;
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
export type CompleteOptions = {
  readonly [Name in Exclude<keyof PetstoreClientOptions, 'signal'>]-?: Exclude<PetstoreClientOptions[Name], undefined>;
};

const pathPrefix: PathPrefix = '/v1';
const exampleUrl = `https://api.petstore.example${pathPrefix}`;

const defaults = { maxWaitSeconds: 60, maxAttempts: 6, timeoutSeconds: 30, maxResponseBytes: 10 * 2 ** 20 };
const minimums: typeof defaults = { maxWaitSeconds: 0, maxAttempts: 1, timeoutSeconds: 0.001, maxResponseBytes: 1 };

/** Fills in the defaults. @throws TypeError for a missing or invalid option. */
export function completeOptions(options: PetstoreClientOptions): CompleteOptions {
  const { baseUrl, apiKey, hooks = {}, fetch = platformFetch } = (options as Partial<typeof options> | undefined) ?? {};
  checkBaseUrl(baseUrl);
  check(
    typeof apiKey === 'string' && apiKey !== '',
    'apiKey is missing or empty. If it is read from an environment variable, check that the variable is set.',
  );
  check(/^[!-~]+$/.test(apiKey), 'apiKey must be visible ASCII characters, without blanks or line ends.');
  return { baseUrl, apiKey, hooks, fetch, ...limitsOf(options) };
}

function limitsOf(options: PetstoreClientOptions): typeof defaults {
  const limits = { ...defaults };
  for (const name of ['maxWaitSeconds', 'maxAttempts', 'timeoutSeconds', 'maxResponseBytes'] as const) {
    const limit: unknown = options[name] ?? defaults[name];
    check(
      typeof limit === 'number' && limit >= minimums[name],
      `${name} must be a number of at least ${String(minimums[name])}.`,
    );
    limits[name] = limit;
  }
  return limits;
}

function checkBaseUrl(baseUrl: string | undefined): asserts baseUrl is string {
  check(typeof baseUrl === 'string' && baseUrl !== '', `baseUrl is missing. Pass a URL such as ${exampleUrl}.`);
  check(/^(https?:\/)?\//.test(baseUrl), 'baseUrl must begin with https:// or http://, or in a page with a slash.');
  // `fetch` would include the password or the key in its errors.
  check(!/^[a-z]+:\/\/[^/?#]*@/.test(baseUrl), 'baseUrl must be without a user name and a password.');
  check(
    new RegExp(`^[^?#]*${pathPrefix}/?$`).test(baseUrl),
    `baseUrl must end with ${pathPrefix}, such as ${exampleUrl}.`,
  );
  check(isUrl(baseUrl), 'baseUrl is not a valid URL.');
}

function isUrl(text: string): boolean {
  try {
    return new URL(text, 'http://localhost') instanceof URL;
  } catch {
    return false;
  }
}

function check(isValid: boolean, message: string): asserts isValid {
  if (!isValid) throw new TypeError(message);
}

/** Looks `fetch` up at each call, because tests and instrumentation replace it. */
const platformFetch: Fetch = (request) => globalThis.fetch(request);
