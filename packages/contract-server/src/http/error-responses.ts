import { STATUS_CODES } from 'node:http';
import type { ErrorRequestHandler } from 'express';
import type { KeyRedactor } from '../api-keys/key-redactor.js';
import { stringifyJson } from '../json/exact-json.js';
import { ApiError, type Report } from '../lib/errors.js';
import { moduleStatuses } from '../lib/module-statuses.js';
import type { ContractDocument } from '../openapi/document.js';
import { type HttpResponse, NoResponsePossible, requireContext } from './request-context.js';
import { sendResponse } from './send-response.js';

/** The form of the body of every error: what the contract declares for it. */
export interface ErrorForm {
  /** Such as `application/problem+json`. */
  readonly mediaType: string;
  readonly create: (error: { readonly code: string; readonly message: string; readonly status: number }) => object;
}

/** The content of an error response. */
interface ErrorDescription extends Pick<HttpResponse, 'headers' | 'status'> {
  readonly code: string;
  readonly message: string;
}

/** Creates error responses. */
export class ErrorResponses {
  private readonly statuses: Readonly<Record<string, number>>;

  constructor(
    contract: ContractDocument,
    /** A message can contain text of the client, and so its API key. */
    private readonly redactor: KeyRedactor,
    readonly report: Report,
    /** Default: `code`, `message` and `status`. */
    private readonly form: ErrorForm = { mediaType: 'application/json', create: (error) => error },
  ) {
    const declared = Object.entries(contract['x-error-codes']).map(([code, { status }]) => [code, status]);
    this.statuses = { ...moduleStatuses, ...(Object.fromEntries(declared) as Record<string, number>) };
  }

  /**
   * The response to an `ApiError`, or to an error of http-errors. Any other error is a defect: it is reported, and the
   * response is a 500.
   *
   * @param isOfRoute whether it is an error of middleware or a route of the service.
   */
  from(error: unknown, requestId?: string, isOfRoute = false): HttpResponse & { readonly body: string } {
    const { code, message, status, headers } = this.describe(error, requestId, isOfRoute);
    const body = this.form.create({ code, message: this.redactor.redact(message), status });
    return { status, headers, body: stringifyJson(body), mediaType: this.form.mediaType, code };
  }

  private describe(error: unknown, requestId: string | undefined, isOfRoute: boolean): ErrorDescription {
    if (error instanceof ApiError) {
      const { code, message, headers } = error as ApiError<string>;
      return { code, message, headers, status: this.statuses[code] ?? 500 };
    }
    const httpError = describeHttpError(error, isOfRoute);
    // An outage of a store is an `ApiError`, and is reported once by the store.
    if (httpError === undefined || httpError.status > 500) this.report(error, requestId);
    return httpError ?? this.describe(internalError, requestId, isOfRoute);
  }
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
  return { status: found, code, message: shown, headers: headers as HttpResponse['headers'] };
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
    const reply = errors.from(error, context.id, isOfRoute);
    if (isOfRoute && response.headersSent) {
      // The client must notice that the response is incomplete.
      if (!response.writableEnded) response.destroy();
      return;
    }
    if (isOfRoute) for (const name of contentHeaders) response.removeHeader(name);
    sendResponse(response, reply);
  };
}
