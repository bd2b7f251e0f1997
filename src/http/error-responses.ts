import type { KeyRedactor } from '../api-keys/key-redactor.js';
import { stringifyJson } from '../json/exact-json.js';
import { ApiError } from '../openapi/api-error.js';
import type { ContractDocument } from '../openapi/document.js';
import type { ErrorBody, ErrorCode } from '../openapi/types.js';
import type { HttpResponse } from './request-context.js';

/**
 * Tells the operator about a defect, with the id of the request that met it if one did, or hands over a
 * `OutageEvent`.
 */
export type Report = (told: unknown, requestId?: string) => void;

/** Turns what was thrown into an answer. */
export class ErrorResponses {
  constructor(
    private readonly contract: ContractDocument,
    /** A client may have put its key where a message names it. */
    private readonly redactor: KeyRedactor,
    readonly report: Report,
  ) {}

  /**
   * A ApiError as the contract says; anything else is a defect, of which the client learns nothing but the id of the
   * request.
   */
  from(error: unknown, requestId?: string): HttpResponse & { readonly body: string } {
    const apiError =
      error instanceof ApiError
        ? error
        : new ApiError('internal_error', 'The server failed to answer this request. Try again later.', {
            cause: error,
          });
    // Trouble of the storage is told by the storage, once and not at every request.
    if (apiError !== error) this.report(error, requestId);
    return {
      status: this.statusOf(apiError.code),
      headers: apiError.headers,
      body: stringifyJson(this.bodyOf(apiError)),
      code: apiError.code,
    };
  }

  private bodyOf({ code, message }: ApiError): ErrorBody {
    return { code, message: this.redactor.redact(message), status: this.statusOf(code) };
  }

  private statusOf(code: ErrorCode): number {
    return this.contract['x-error-codes'][code].status;
  }
}
