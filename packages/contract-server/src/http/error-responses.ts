import { STATUS_CODES } from 'node:http';
import type { ErrorRequestHandler } from 'express';
import type { KeyRedactor } from '../api-keys/key-redactor.js';
import { stringifyJson } from '../json/exact-json.js';
import { ApiError, type Report, type Violation } from '../lib/errors.js';
import { moduleStatuses } from '../lib/module-statuses.js';
import type { ContractDocument } from '../openapi/document.js';
import { type ErrorCodes, type ErrorSources, type ErrorStatuses, errorCodesOf } from '../openapi/error-codes.js';
import { type HttpResponse, NoResponsePossible, type RequestContext, requireContext } from './request-context.js';
import { sendResponse } from './send-response.js';

/** An error as a response describes it. */
export interface ErrorContent {
  readonly code: string;
  readonly message: string;
  readonly status: number;
  /** What is invalid in the request, at most 10 parts of it; empty for other errors. */
  readonly violations: readonly Violation[];
}

/** The option `errors`: how errors become responses. */
export interface ErrorResponseOptions {
  /**
   * Returns the body, which is sent as JSON. Default: `code`, `message` and `status`. If it throws, or returns a
   * promise, that is reported, and the response is a 500 with the default body.
   */
  readonly body?: (error: ErrorContent) => object;
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

/** An error with the headers of its response. */
interface ErrorDescription extends ErrorContent {
  readonly headers?: HttpResponse['headers'];
}

type ErrorResponse = HttpResponse & { readonly code: string };
type WithBody = ErrorResponse & { readonly body: string };

/** The request that an error belongs to, as far as it is known. */
export type ErrorOrigin = Partial<Pick<RequestContext, 'id' | 'match' | 'decision' | 'deprecationHeaders'>>;

/** Returns the response that the contract declares for an error, in place of the response of the library. */
export type DeclareError = (response: WithBody, error: ErrorContent, origin: ErrorOrigin) => ErrorResponse;

/** Creates error responses. */
export class ErrorResponses {
  /** The error codes that the service returns, with their statuses. */
  readonly codes: ErrorCodes;

  /** @throws StartError for a status that is invalid, or that the contract contradicts. */
  constructor(
    contract: ContractDocument,
    /** A message can contain text of the client, and so its API key. */
    private readonly redactor: KeyRedactor,
    readonly report: Report,
    private readonly options: ErrorResponseOptions = {},
    sources: ErrorSources = {},
    /** Default: every error has the response of the library. */
    private readonly declare?: DeclareError,
  ) {
    this.codes = errorCodesOf(contract, options.status, sources);
  }

  /**
   * The response to an `ApiError`, or to an error of http-errors. Any other error is a defect: it is reported, and the
   * response is a 500.
   *
   * @param isOfRoute whether it is an error of middleware or a route of the service.
   */
  from(error: unknown, origin: ErrorOrigin = {}, isOfRoute = false): ErrorResponse {
    try {
      const described = this.describe(error, origin.id, isOfRoute);
      const response = this.toResponse(described);
      return this.declare?.(response, described, origin) ?? response;
    } catch (cause) {
      return this.fromDefect(cause, origin.id);
    }
  }

  /** The response to an error while another one was described or sent: a 500 with the default body. */
  fromDefect(error: unknown, requestId?: string): WithBody {
    this.report(error, requestId);
    const { code, message, status } = this.describeApiError(internalError);
    return { status, body: stringifyJson({ code, message, status }), mediaType: 'application/json', code };
  }

  private describe(error: unknown, requestId: string | undefined, isOfRoute: boolean): ErrorDescription {
    const apiError = error instanceof ApiError ? (error as ApiError<string>) : this.map(error, requestId);
    if (apiError !== undefined) {
      const described = this.describeApiError(apiError);
      // A defect whose message may be sent, or a code that has no status.
      if (described.status === 500 && apiError !== internalError) this.report(apiError.cause ?? apiError, requestId);
      return described;
    }
    const httpError = describeHttpError(error, isOfRoute);
    // An outage of a store is an `ApiError`, and is reported once by the store.
    if (httpError === undefined || httpError.status > 500) this.report(error, requestId);
    return httpError === undefined ? this.describeApiError(internalError) : this.redact(httpError);
  }

  private map(error: unknown, requestId: string | undefined): ApiError<string> | undefined {
    try {
      return this.options.map?.(error);
    } catch (cause) {
      this.report(new AggregateError([cause, error], 'errors.map failed.', { cause }), requestId);
      return internalError;
    }
  }

  private describeApiError({ code, message, headers, violations }: ApiError<string>): ErrorDescription {
    const status = this.codes[code]?.status ?? defaultStatuses[code] ?? 500;
    return this.redact({ code, message, status, headers, violations });
  }

  /** Removes API keys from the message, which may contain text of the client. */
  private redact(error: ErrorDescription): ErrorDescription {
    return { ...error, message: this.redactor.redact(error.message) };
  }

  /** @throws the error of `body`. */
  private toResponse({ headers, ...error }: ErrorDescription): WithBody {
    const { body, mediaType = 'application/json' } = this.options;
    const { code, message, status } = error;
    const sent = body === undefined ? { code, message, status } : body({ ...error, violations: this.redactAll(error) });
    if (typeof (sent as object | undefined) !== 'object' || sent instanceof Promise)
      throw new TypeError('errors.body must return an object.');
    return { status, headers, body: stringifyJson(sent), mediaType, code };
  }

  private redactAll({ violations }: ErrorDescription): Violation[] {
    const redact = (text: string) => this.redactor.redact(text);
    return violations.map((each) => ({ ...each, pointer: redact(each.pointer), message: redact(each.message) }));
  }
}

/** Also those of codes that are not listed. */
const defaultStatuses: Readonly<Record<string, number>> = moduleStatuses;

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
 * @param isOfRoute whether it handles the errors of middleware and routes of the service.
 */
export function errorHandler(errors: ErrorResponses, isOfRoute = false): ErrorRequestHandler {
  return (error: unknown, request, response, _next) => {
    const context = requireContext(request);
    // Also without a response, as after a disconnect.
    context.concurrency?.leave(context);
    // The cause, if a handler passed its signal on, as to a timer of Node.
    const { cause } = Object(error) as { readonly cause?: unknown };
    if (error instanceof NoResponsePossible || cause instanceof NoResponsePossible) return;
    const reply = errors.from(error, context, isOfRoute);
    if (isOfRoute && response.headersSent) {
      // The client must notice that the response is incomplete.
      if (!response.writableEnded) response.destroy();
      return;
    }
    if (isOfRoute) for (const name of contentHeaders) response.removeHeader(name);
    try {
      sendResponse(response, reply);
    } catch (cause) {
      sendResponse(response, errors.fromDefect(cause, context.id));
    }
  };
}
