import type { ErrorRequestHandler } from 'express';
import type { KeyRedactor } from '../api-keys/key-redactor.js';
import { stringifyJson } from '../json/exact-json.js';
import { ApiError, defaultStatuses, type ErrorCode } from '../lib/errors.js';
import type { ContractDocument } from '../openapi/document.js';
import { type HttpResponse, requireContext } from './request-context.js';
import { sendResponse } from './send-response.js';

/** No response can be sent: the client has disconnected, or already has one. */
export class NoResponsePossible extends Error {
  override readonly name = 'NoResponsePossible';
}

/** Reports an internal error, with the id of the request that caused it, or a `StoreEvent`. */
export type Report = (error: unknown, requestId?: string) => void;

/** The form of the body of every error: what the contract declares for it. */
export interface ErrorForm {
  /** Such as `application/problem+json`. */
  readonly mediaType: string;
  readonly create: (error: { readonly code: ErrorCode; readonly message: string; readonly status: number }) => object;
}

/** Creates error responses. */
export class ErrorResponses {
  private readonly statuses: Readonly<Record<string, number>>;

  constructor(
    contract: ContractDocument,
    private readonly form: ErrorForm,
    /** A message can contain text of the client, and so its API key. */
    private readonly redactor: KeyRedactor,
    readonly report: Report,
  ) {
    const declared = Object.entries(contract['x-error-codes']).map(([code, { status }]) => [code, status]);
    this.statuses = { ...defaultStatuses, ...(Object.fromEntries(declared) as Record<string, number>) };
  }

  /** The response to an `ApiError`; any other error is a defect, which is reported, and returns a 500. */
  from(error: unknown, requestId?: string): HttpResponse & { readonly body: string } {
    const apiError =
      error instanceof ApiError
        ? error
        : new ApiError('internal_error', 'The server failed to process the request. Retry later.', {
            cause: error,
          });
    // An outage of a store is an `ApiError`, and is reported once by the store.
    if (apiError !== error) this.report(error, requestId);
    const { code, message, headers } = apiError;
    const status = this.statuses[code] ?? 500;
    const body = this.form.create({ code, message: this.redactor.redact(message), status });
    return { status, headers, body: stringifyJson(body), mediaType: this.form.mediaType, code };
  }
}

/** Sends the Error response for an error. Express recognizes an error handler by its four parameters. */
export function errorHandler(errors: ErrorResponses): ErrorRequestHandler {
  return (error: unknown, request, response, _next) => {
    const context = requireContext(request);
    // Without a response as well, as after a disconnect.
    context.concurrency?.leave(context);
    if (!(error instanceof NoResponsePossible)) sendResponse(response, errors.from(error, context.id));
  };
}
