import createClient, { type ParamsOption, type RequestBodyOption } from 'openapi-fetch';
import type { paths } from '../../generated/openapi.js';
import { unexpectedResponse } from './error-of.js';
import { parseJson, stringifyJson } from './exact-json.js';
import { createRetryingFetch } from './retrying-fetch.js';
import type { Time } from './time.js';

export interface PetstoreClientOptions {
  /** The URL of the service, up to and including the path prefix: `https://api.petstore.example/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Maximum wait between two attempts that the service may request. Default: 60. */
  readonly maxWaitSeconds?: number | undefined;
  /** Maximum number of times that a request is sent. Default: 6. */
  readonly maxAttempts?: number | undefined;
  /** Timeout of one attempt, including the response body. Default: 30. */
  readonly timeoutSeconds?: number | undefined;
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Aborts every call. */
  readonly signal?: AbortSignal | undefined;
}

export interface CallOptions {
  /** Aborts the call, also during a wait. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Calls an operation of the contract by its method and path:
 * `client.request('get', '/pets', { params: { query: { limit: 1 } } })`.
 */
export type OperationRequest = <M extends Method, Path extends PathOf<M>>(
  method: M,
  path: Path,
  ...options: OptionsOf<paths[Path][M]>
) => Promise<OperationResult<paths[Path][M]>>;

export interface OperationResult<Operation> {
  /** The body; `undefined` if the contract declares none. */
  readonly data: SuccessBody<Operation>;
  readonly response: Response;
}

type Method = 'get' | 'put' | 'post' | 'delete' | 'patch';

type PathOf<M extends Method> = {
  [Path in keyof paths]: paths[Path][M] extends object ? Path : never;
}[keyof paths];

/** The parameters and the body that the contract declares for the operation; optional if all of them are. */
type OptionsOf<Operation> =
  Partial<OperationOptions<Operation>> extends OperationOptions<Operation>
    ? [options?: OperationOptions<Operation>]
    : [options: OperationOptions<Operation>];

type OperationOptions<Operation> = ParamsOption<Operation> & RequestBodyOption<Operation> & CallOptions;

type SuccessBody<Operation> = Operation extends { readonly responses: infer Responses }
  ? JsonBody<Responses[keyof Responses & (200 | 201 | 202 | 203 | 204 | 205 | 206)]>
  : never;

type JsonBody<Response> = Response extends { readonly content: { readonly 'application/json': infer Body } }
  ? Body
  : undefined;

/** The request function of openapi-fetch without the types of the contract, which `OperationRequest` has. */
type UntypedRequest = (method: string, path: string, init: object) => Promise<{ data?: string; response: Response }>;

/** @throws TypeError for an invalid option. */
export function createRequest(options: PetstoreClientOptions, time: Time): OperationRequest {
  const { baseUrl, apiKey, fetch = platformFetch } = options;
  const { maxWaitSeconds = 60, maxAttempts = 6, timeoutSeconds = 30 } = options;
  check(/^(https?:\/)?\//.test(baseUrl), 'baseUrl must begin with https:// or http://, or in a page with a slash.');
  // `fetch` would include the password or the key in its errors.
  check(!/^[a-z]+:\/\/[^/?#]*@/.test(baseUrl), 'baseUrl must be without a user name and a password.');
  check(/^[!-~]+$/.test(apiKey), 'apiKey must be visible ASCII characters, without blanks or line ends.');
  check(
    maxWaitSeconds >= 0 && maxAttempts >= 1 && timeoutSeconds > 0,
    'maxWaitSeconds, maxAttempts or timeoutSeconds is too small.',
  );
  const { request: send } = createClient({
    baseUrl,
    headers: { Authorization: `Bearer ${apiKey}` },
    fetch: createRetryingFetch(fetch, { maxWaitSeconds, maxAttempts, timeoutSeconds }, time),
    bodySerializer: stringifyJson,
    // The contract has no redirects, and the API key must not be sent to another URL.
    redirect: 'manual',
  });
  return async (method, path, ...[callOptions]: [CallOptions?]) => {
    const signal = AbortSignal.any([options.signal, callOptions?.signal].filter(isGiven));
    // As text, because the JSON parser of openapi-fetch rounds large integers.
    const init = { ...callOptions, signal, parseAs: 'text' };
    const { data = '', response } = await (send as UntypedRequest)(method, path, init);
    const body = response.status === 204 ? undefined : attempt(response, () => parseJson(data));
    return { data: body as never, response };
  };
}

function check(isValid: boolean, message: string): void {
  if (!isValid) throw new TypeError(message);
}

/** Looks `fetch` up at each call, because tests and instrumentation replace it. */
const platformFetch: typeof fetch = (...args) => globalThis.fetch(...args);

/** Returns the result of `work`. @throws PetstoreError `unexpected_response` if it throws. */
export function attempt<T>(response: Response, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw unexpectedResponse(response, undefined, cause);
  }
}

function isGiven<T>(value: T | undefined): value is T {
  return value !== undefined;
}
