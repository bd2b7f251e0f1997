import createClient, { type ParamsOption } from 'openapi-fetch';
import { type ErrorClass, unexpectedResponse } from './client-error.js';
import { isBrowser } from './credentials.js';
import type { CompleteOptions } from './options.js';
import { type Parameters, type SentParameters, sendParameters } from './parameters.js';
import { type BodyOption, bodyToSend } from './request-body.js';
import { type ResponseBody, readBody } from './response-body.js';
import { createRetryingFetch } from './retrying-fetch.js';
import type { Success } from './statuses.js';
import type { Time } from './time.js';

export interface CallOptions {
  /** Aborts the call, also during a wait. */
  readonly signal?: AbortSignal | undefined;
}

/** The result of a call with its response. */
export interface CallResult<Data> {
  /** The data of the call: what it returns without `withResponse()`. */
  readonly data: Data;
  /** The response: its status and headers. Its body has been read. */
  readonly response: Response;
  /** Identifies the request in the log of the service. Include it in problem reports. */
  readonly requestId: string | undefined;
}

/** A call: `await client.listBooks()` returns its data, `await client.listBooks().withResponse()` its response too. */
export interface Call<Data> extends Promise<Data> {
  /** Returns the data together with the response. The request is sent once. */
  withResponse(): Promise<CallResult<Data>>;
}

/**
 * Calls an operation of the contract by its method and path:
 * `client.request('get', '/books', { params: { query: { limit: 1 } } })`. Its data is the body: the value of JSON,
 * the array of JSON lines, other text, or a `Blob`; `undefined` without one.
 */
export type OperationRequest<Paths extends PathsOf<Paths>> = <M extends Method, Path extends PathOf<Paths, M>>(
  method: M,
  path: Path,
  ...options: OptionsOf<Paths[Path][M]>
) => Promise<CallResult<SuccessBody<Paths[Path][M]>>>;

export type Method = 'get' | 'put' | 'post' | 'delete' | 'patch';

export type PathsOf<Paths> = { [Path in keyof Paths]: { readonly [M in Method]?: unknown } };

export type PathOf<Paths extends PathsOf<Paths>, M extends Method> = {
  [Path in keyof Paths]: Paths[Path][M] extends object ? Path : never;
}[keyof Paths];

/** The parameters and the body that the contract declares for the operation; optional if all of them are. */
type OptionsOf<Operation> =
  object extends OperationOptions<Operation>
    ? [options?: OperationOptions<Operation>]
    : [options: OperationOptions<Operation>];

type OperationOptions<Operation> = ParamsOption<Operation> & BodyOption<Operation> & CallOptions;

type SuccessBody<Operation> = Operation extends { readonly responses: infer Responses }
  ? ResponseBody<Responses[SuccessStatus<keyof Responses>]>
  : never;

/** Those of a success; `default` for an operation that declares none. */
type SuccessStatus<Status> = [Extract<Status, Success>] extends [never]
  ? Extract<Status, 'default'>
  : Extract<Status, Success>;

interface UntypedOptions extends CallOptions {
  readonly params?: Parameters;
  readonly body?: unknown;
  readonly headers?: { readonly 'Content-Type'?: string };
}

/** The request function of openapi-fetch without the types of the contract, which `OperationRequest` has. */
type UntypedRequest = (method: string, path: string, init: object) => Promise<{ readonly response: Response }>;

/** Returns a function that sends requests. @param userAgent that of `fetch` if it is undefined. */
export function createRequest(
  complete: CompleteOptions,
  { signal: always, userAgent, time }: RequestParts,
): (method: string, path: string, call?: UntypedOptions) => Promise<CallResult<unknown>> {
  const { contract, CallError } = complete;
  const retryingFetch = createRetryingFetch(complete, time);
  // Pages cannot set `User-Agent`: some browsers ignore it, others then send a preflight request (CORS).
  const isPage = isBrowser();
  const client = createClient({
    baseUrl: complete.baseUrl,
    headers: isPage || userAgent === undefined ? {} : { 'User-Agent': userAgent },
    bodySerializer: (body: unknown) => body,
    // The contract has no redirects, and the API key must not be sent to another URL.
    redirect: 'manual',
  });
  // A middleware that returns a response replaces the request of openapi-fetch.
  client.use({ onRequest: ({ request, schemaPath }) => retryingFetch(request, schemaPath) });
  return async (method, path, call = {}) => {
    const operation = `${method} ${path}`;
    requireBody(call);
    const sent = sendParameters(path, call.params, contract.styles[operation]);
    if (isPage) requireNoCookies(sent);
    const signal = AbortSignal.any([always, call.signal].filter((given) => given !== undefined));
    const prefixes = [contract.pathPrefix, contract.prefixes[operation] ?? contract.pathPrefix] as const;
    // As a stream, because the JSON parser of openapi-fetch rounds large integers.
    const init = {
      ...{ ...call, ...bodyOf(call), signal, parseAs: 'stream', params: { path: {}, header: sent.header } },
      pathSerializer: (url: string) => withPrefix(url.slice(0, url.length - path.length), ...prefixes) + sent.path,
      querySerializer: () => sent.query,
    };
    const { response } = await (client.request as UntypedRequest)(method, path, init);
    const data = await readBody(response, contract.mediaTypes[operation]).catch((cause: unknown) => {
      throw unexpectedResponse(CallError, response, { cause });
    });
    return { data, response, requestId: response.headers.get('X-Request-Id') ?? undefined };
  };
}

interface RequestParts {
  /** Aborts every call. */
  readonly signal: AbortSignal | undefined;
  readonly userAgent: string | undefined;
  readonly time: Time | undefined;
}

/** A base URL with the path prefix of an operation. */
function withPrefix(baseUrl: string, common: string, own: string): string {
  return baseUrl.slice(0, baseUrl.length - common.length) + own;
}

/** The body as it is sent. `fetch` adds the boundary to the media type of a multipart body. */
function bodyOf({ body, headers }: UntypedOptions) {
  if (body === undefined) return {};
  const sent = bodyToSend(body, headers?.['Content-Type']);
  return { body: sent, ...(sent instanceof FormData && { headers: { ...headers, 'Content-Type': null } }) };
}

/** @throws TypeError for a body that is undefined: a mistake that would send a request without one. */
function requireBody(call: UntypedOptions): void {
  if ('body' in call && call.body === undefined) throw new TypeError('The body is undefined.');
}

/** @throws TypeError for cookies, which browsers remove from the requests of scripts. */
function requireNoCookies({ header }: SentParameters): void {
  if ('Cookie' in header) throw new TypeError('A script in a page cannot send cookie parameters.');
}

/** Returns the result of `work`. @throws `unexpected_response` if it throws. */
export function attempt<T>(CallError: ErrorClass, response: Response, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw unexpectedResponse(CallError, response, { cause });
  }
}

/** @param dataOf converts the body of a successful response to the data of the call. */
export function createCall<Body, Data>(
  result: Promise<CallResult<Body>>,
  dataOf: (body: Body, response: Response) => Data,
): Call<Data> {
  const complete = result.then((received) => ({ ...received, data: dataOf(received.data, received.response) }));
  const data = complete.then((received) => received.data);
  const withResponse = () => {
    // Only the returned promise reports the error.
    data.catch(() => undefined);
    return complete;
  };
  return Object.assign(data, { withResponse });
}
