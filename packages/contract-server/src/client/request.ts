import createClient, { type ParamsOption } from 'openapi-fetch';
import { type ClientError, type ErrorClass, unexpectedResponse } from './client-error.js';
import { isBrowser } from './credentials.js';
import { parseJson } from './exact-json.js';
import type { JsonMediaType } from './media-kinds.js';
import { type ClientOptions, type ClientSettings, completeOptions } from './options.js';
import { type Parameters, type SentParameters, sendParameters } from './parameters.js';
import type { Readable } from './read-write.js';
import { type BodyOption, bodyToSend } from './request-body.js';
import { createRetryingFetch, systemTime, type Time } from './retrying-fetch.js';

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
 * `client.request('get', '/books', { params: { query: { limit: 1 } } })`. Its data is the body, which must be JSON;
 * `undefined` without one.
 */
export type OperationRequest<Paths extends PathsOf<Paths>> = <M extends Method, Path extends PathOf<Paths, M>>(
  method: M,
  path: Path,
  ...options: OptionsOf<Paths[Path][M]>
) => Promise<CallResult<SuccessBody<Paths[Path][M]>>>;

type Method = 'get' | 'put' | 'post' | 'delete' | 'patch';

export type PathsOf<Paths> = { [Path in keyof Paths]: { readonly [M in Method]?: unknown } };

type PathOf<Paths extends PathsOf<Paths>, M extends Method> = {
  [Path in keyof Paths]: Paths[Path][M] extends object ? Path : never;
}[keyof Paths];

/** The parameters and the body that the contract declares for the operation; optional if all of them are. */
type OptionsOf<Operation> =
  object extends OperationOptions<Operation>
    ? [options?: OperationOptions<Operation>]
    : [options: OperationOptions<Operation>];

type OperationOptions<Operation> = ParamsOption<Operation> & BodyOption<Operation> & CallOptions;

type SuccessBody<Operation> = Operation extends { readonly responses: infer Responses }
  ? JsonBody<Responses[SuccessStatus<keyof Responses>]>
  : never;

/** Those of a success; `default` for an operation that declares none. */
type SuccessStatus<Status> = [Extract<Status, Success>] extends [never]
  ? Extract<Status, 'default'>
  : Extract<Status, Success>;

type Success = 200 | 201 | 202 | 203 | 204 | 205 | 206 | 207 | 208 | 226 | '2XX';

type JsonBody<Response> = Response extends { readonly content: infer Content }
  ? Readable<Content[keyof Content & (JsonMediaType | `${JsonMediaType};${string}` | `${'*' | 'application'}/*`)]>
  : undefined;

interface UntypedOptions extends CallOptions {
  readonly params?: Parameters;
  readonly body?: unknown;
  readonly headers?: { readonly 'Content-Type'?: string };
}

/** The request function of openapi-fetch without the types of the contract, which `OperationRequest` has. */
type UntypedRequest = (method: string, path: string, init: object) => Promise<{ data?: string; response: Response }>;

/** @throws TypeError for an invalid option. */
export function createRequest<Paths extends PathsOf<Paths>, CallError extends ClientError = ClientError>(
  settings: ClientSettings,
  options: ClientOptions<CallError>,
  time: Time = systemTime,
): OperationRequest<Paths> {
  const complete = completeOptions(settings, options as unknown as ClientOptions);
  const retryingFetch = createRetryingFetch(complete, time);
  // Pages cannot set `User-Agent`: some browsers ignore it, others then send a preflight request (CORS).
  const isPage = isBrowser();
  const client = createClient({
    baseUrl: complete.baseUrl,
    headers: isPage ? {} : { 'User-Agent': `${settings.name}/${settings.version}` },
    bodySerializer: (body: unknown) => body,
    // The contract has no redirects, and the API key must not be sent to another URL.
    redirect: 'manual',
  });
  // A middleware that returns a response replaces the request of openapi-fetch.
  client.use({ onRequest: ({ request, schemaPath }) => retryingFetch(request, schemaPath) });
  return async (method, path, ...[call = {}]: [UntypedOptions?]) => {
    const template = String(path);
    requireBody(call);
    const sent = sendParameters(template, call.params, settings.styles?.[`${method} ${template}`]);
    if (isPage) requireNoCookies(sent);
    const signal = AbortSignal.any([options.signal, call.signal].filter((given) => given !== undefined));
    // As text, because the JSON parser of openapi-fetch rounds large integers.
    const init = {
      ...{ ...call, ...bodyOf(call), signal, parseAs: 'text', params: { path: {}, header: sent.header } },
      pathSerializer: (url: string) => url.slice(0, url.length - template.length) + sent.path,
      querySerializer: () => sent.query,
    };
    const { data = '', response } = await (client.request as UntypedRequest)(method, template, init);
    const body = data === '' ? undefined : attempt(settings.Error, response, () => parseJson(data));
    return { data: body as never, response, requestId: response.headers.get('X-Request-Id') ?? undefined };
  };
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
