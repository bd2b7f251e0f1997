import { STATUS_CODES } from 'node:http';
import type { Contract } from '@contract-server/core/contract/contract.js';
import {
  type ErrorCodes,
  type ErrorSources,
  type ErrorStatuses,
  errorCodesOf,
  statusOf,
} from '@contract-server/core/contract/error-codes.js';
import { stringifyJson } from '@contract-server/core/json/exact-json.js';
import { ApiError, type Report, type Violation } from '@contract-server/core/lib/errors.js';
import type { ErrorRequestHandler, Request } from 'express';
import type { CompiledRouter } from '../../backend/compiled-router.js';
import type { KeyRedactor } from '../../log/key-redactor.js';
import { type HttpResponse, NoResponsePossible, type RequestContext, requireContext } from '../request-context.js';
import { splitTarget } from '../wire/request-target.js';
import { sendResponse } from '../wire/send-response.js';
import { FileError } from './file-error.js';

/** An error as a response describes it. */
export interface ErrorContent {
  readonly code: string;
  readonly message: string;
  readonly status: number;
  /** What is invalid in the request, at most 10 parts of it; empty for other errors. */
  readonly violations: readonly Violation[];
  /** The value of `X-Request-Id` in the response. */
  readonly requestId: string;
  /** The path of the request, percent-encoded as sent, without its query; `undefined` if the request has none. */
  readonly path: string | undefined;
}

/** The option `errors`: how errors become responses. */
export interface ErrorResponseOptions {
  /**
   * Returns the body, which is sent as JSON; `undefined` for a response without one. Default: `code`, `message` and
   * `status`. It is not called for a status that the operation declares without content. If it throws, or returns a
   * promise, that is reported, and the response is a 500 with the default body.
   */
  readonly body?: (error: ErrorContent) => object | undefined;
  /** The media type of the body, such as `application/problem+json`. Default: `application/json`. */
  readonly mediaType?: string;
  /**
   * Returns the `ApiError` for an error of another library, such as Multer or a database. `undefined` leaves the error
   * as it is: one of http-errors keeps its status, any other is a 500. If it throws, that is reported, and the response
   * is a 500.
   */
  readonly map?: (error: unknown) => ApiError<string> | undefined;
  /** Statuses of errors of the library that `x-error-codes` does not list, such as `{ invalid_request: 422 }`. */
  readonly status?: ErrorStatuses;
}

/** An error before a body is created, with the headers of its response. */
export interface ErrorDescription extends Omit<ErrorContent, 'requestId' | 'path'> {
  readonly headers?: HttpResponse['headers'];
}

type ErrorResponse = HttpResponse & { readonly code: string };
type WithBody = ErrorResponse & { readonly body: string };

/** The request that an error belongs to, as far as it is known. */
export type ErrorOrigin = Pick<RequestContext, 'id'> &
  Partial<Pick<RequestContext, 'request' | 'match' | 'decision' | 'deprecationHeaders' | 'rateLimitHeaders'>>;

/** Returns the response that the contract declares for an error, in place of the response of the library. */
export type DeclareError = (response: WithBody, error: ErrorDescription, origin: ErrorOrigin) => ErrorResponse;

/** What determines the responses to errors besides the contract. */
interface ErrorParts {
  readonly options?: ErrorResponseOptions | undefined;
  readonly sources?: ErrorSources;
  /** Default: every error has the response of the library. */
  readonly declare?: DeclareError | undefined;
  /** Whether an error of http-errors whose status the operation does not declare becomes a 500. */
  readonly validateResponses?: boolean | undefined;
}

/** Creates error responses. */
export class ErrorResponses {
  /** The error codes that the service returns, with their statuses. */
  readonly codes: ErrorCodes;
  private readonly options: ErrorResponseOptions;

  /** @throws StartError for a status of an unknown error, or one that the contract contradicts. */
  constructor(
    contract: Contract,
    /** A message can contain text of the client, and so its API key. */
    private readonly redactor: KeyRedactor,
    readonly report: Report,
    private readonly parts: ErrorParts = {},
  ) {
    this.options = parts.options ?? {};
    this.codes = errorCodesOf(contract, this.options.status, parts.sources);
  }

  /**
   * The response to an `ApiError`, or to an error of http-errors. Any other error is a defect: it is reported, and the
   * response is a 500. A status that the operation declares without content has no body.
   *
   * @param isOfRoute whether it is an error of middleware or a route of the service.
   */
  from(error: unknown, origin: ErrorOrigin, isOfRoute = false): ErrorResponse {
    try {
      const described = this.describe(error, origin, isOfRoute);
      const { declare } = this.parts;
      if (declare !== undefined) return declare(defaultResponse(described), described, origin);
      return this.isBodyless(described.status, origin)
        ? bodylessResponse(described)
        : this.toResponse(described, origin);
    } catch (cause) {
      return this.fromDefect(cause, origin);
    }
  }

  /** The response to an error while another one was described or sent: a 500 with the default body. */
  fromDefect(error: unknown, origin: ErrorOrigin): ErrorResponse {
    const described = this.describeDefect(error, origin.id);
    return this.isBodyless(described.status, origin) ? bodylessResponse(described) : defaultResponse(described);
  }

  private describe(error: unknown, origin: ErrorOrigin, isOfRoute: boolean): ErrorDescription {
    const { id } = origin;
    const apiError = error instanceof ApiError ? (error as ApiError<string>) : this.map(error, id);
    if (apiError !== undefined) {
      const described = this.describeApiError(apiError);
      // A defect whose message may be sent, or a code that has no status.
      if (described.status === 500 && apiError !== internalError) this.report(apiError.cause ?? apiError, id);
      return described;
    }
    const httpError = describeHttpError(error, isOfRoute);
    if (httpError === undefined) return this.describeDefect(error, id);
    const violation = this.findViolation(httpError.status, origin, error);
    if (violation !== undefined) return this.describeDefect(violation, id);
    // An outage of a store is an `ApiError`, and is reported once by the store.
    if (httpError.status > 500) this.report(error, id);
    return { ...httpError, message: this.redactor.redact(httpError.message) };
  }

  private describeDefect(error: unknown, requestId: string): ErrorDescription {
    this.report(error, requestId);
    return this.describeApiError(internalError);
  }

  private map(error: unknown, requestId: string): ApiError<string> | undefined {
    try {
      return this.options.map?.(error);
    } catch (cause) {
      this.report(new AggregateError([cause, error], 'errors.map failed.', { cause }), requestId);
      return internalError;
    }
  }

  private describeApiError({ code, message, headers, violations }: ApiError<string>): ErrorDescription {
    const status = statusOf(this.codes, code) ?? 500;
    return { code, message: this.redactor.redact(message), status, headers, violations };
  }

  private isBodyless(status: number, { match }: ErrorOrigin): boolean {
    return match?.kind === 'operation' && match.operation.declared.responses.find(status)?.content.length === 0;
  }

  /** If responses are validated: the violation of a status that the operation does not declare. */
  private findViolation(status: number, { match }: ErrorOrigin, cause: unknown): Error | undefined {
    if (this.parts.validateResponses !== true || match?.kind !== 'operation') return undefined;
    if (cause instanceof FileError && cause.isImplied) return undefined;
    const { operationId, declared } = match.operation;
    if (declared.responses.find(status) !== undefined) return undefined;
    const reason = 'does not conform to the contract: the status is not declared.';
    return new Error(`The response ${String(status)} of ${operationId} ${reason}`, { cause });
  }

  /** @throws the error of `body`. */
  private toResponse(error: ErrorDescription, origin: ErrorOrigin): ErrorResponse {
    const { body, mediaType } = this.options;
    if (body === undefined) return defaultResponse(error, mediaType);
    const { headers: _, ...content } = error;
    const { id: requestId } = origin;
    const sent = body({ ...content, violations: this.redactAll(error), requestId, path: this.pathOf(origin) });
    if (sent === undefined) return bodylessResponse(error);
    if (typeof sent !== 'object' || sent instanceof Promise)
      throw new TypeError('errors.body must return an object or undefined.');
    return responseTo(error, stringifyJson(sent), mediaType);
  }

  private redactAll({ violations }: ErrorDescription): Violation[] {
    const redact = (text: string) => this.redactor.redact(text);
    return violations.map((each) => ({ ...each, pointer: redact(each.pointer), message: redact(each.message) }));
  }

  /** The path that the client requested, also below the mount path of a router. */
  private pathOf({ request }: ErrorOrigin): string | undefined {
    const { originalUrl = request?.url } = (request ?? {}) as Partial<Request>;
    return originalUrl === undefined ? undefined : this.redactor.redact(splitTarget(originalUrl).path);
  }
}

function defaultResponse(error: ErrorDescription, mediaType?: string): WithBody {
  const { code, message, status } = error;
  return responseTo(error, stringifyJson({ code, message, status }), mediaType);
}

function responseTo(
  { status, headers, code }: ErrorDescription,
  body: string,
  mediaType = 'application/json',
): WithBody {
  return { status, headers, body, mediaType, code };
}

function bodylessResponse({ status, headers, code }: ErrorDescription): ErrorResponse {
  return { status, headers, code };
}

const internalError = new ApiError('internal_error', 'The server failed to process the request. Retry later.');

/**
 * Describes an error that has the status of an error response, as http-errors creates it; `undefined` for any other
 * and for the status 500.
 *
 * @param isOfRoute whether it is an error of middleware or of a route. Any other may be that of a request to another
 * service, and is described only if the client may read its message (`expose`).
 */
function describeHttpError(error: unknown, isOfRoute: boolean): ErrorDescription | undefined {
  const { status, statusCode, expose, headers, message } = Object(error) as Readonly<Record<string, unknown>>;
  const found = [status, statusCode].find(isErrorStatus);
  if (found === undefined) return undefined;
  const isExposed = expose === true && found < 500;
  if (!isExposed && !isOfRoute) return undefined;
  const reason = STATUS_CODES[found] ?? 'Error';
  const code = reason.toLowerCase().replace(/[^a-z]+/g, '_');
  const shown = isExposed ? String(message) : `${reason}.`;
  return { status: found, code, message: shown, headers: headers as HttpResponse['headers'], violations: [] };
}

function isErrorStatus(status: unknown): status is number {
  return Number.isInteger(status) && Number(status) >= 400 && Number(status) <= 599 && status !== 500;
}

/** The headers that describe the content which a route failed to send. */
const contentHeaders = ['Content-Encoding', 'Content-Range', 'ETag', 'Last-Modified'];

/**
 * Sends the Error response for an error. Express recognizes an error handler by its four parameters.
 *
 * @param routes finds the operation of a request that middleware of the service has rejected before the API did; given
 * if it handles the errors of middleware and routes of the service.
 */
export function errorHandler(errors: ErrorResponses, routes?: Pick<CompiledRouter, 'match'>): ErrorRequestHandler {
  const isOfRoute = routes !== undefined;
  return (error: unknown, request, response, _next) => {
    const context = requireContext(request);
    // Also without a response, as after a disconnect.
    context.concurrency?.leave(context);
    if (isOfDisconnect(error)) return;
    const origin = originOf(context, routes);
    const reply = errors.from(error, origin, isOfRoute);
    if (isOfRoute && response.headersSent) {
      // The client must notice that the response is incomplete.
      if (!response.writableEnded) response.destroy();
      return;
    }
    if (isOfRoute) for (const name of contentHeaders) response.removeHeader(name);
    try {
      sendResponse(response, reply);
    } catch (cause) {
      sendResponse(response, errors.fromDefect(cause, origin));
    }
  };
}

/** The request of an error, with its operation also if it has not reached the API. */
function originOf(context: RequestContext, routes: Pick<CompiledRouter, 'match'> | undefined): ErrorOrigin {
  const { id, request, decision, deprecationHeaders } = context;
  const match = context.match ?? routes?.match(request.method ?? '', context.path);
  return { id, request, match, decision, deprecationHeaders };
}

/** Whether no response can be sent; it is the cause, if a handler passed its signal on, as to a timer of Node. */
function isOfDisconnect(error: unknown): boolean {
  const { cause } = Object(error) as { readonly cause?: unknown };
  return error instanceof NoResponsePossible || cause instanceof NoResponsePossible;
}
