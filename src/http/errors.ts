import type { ContractDocument } from '../contract/document.js';
import { stringifyJson } from '../contract/exact-json.js';
import type { ErrorBody, ErrorCode } from '../contract/types.js';
import { Refusal } from '../domain/refusal.js';
import type { HttpReply } from './exchange.js';
import type { KeyRedactor } from './key-redactor.js';

/** Turns what was thrown into an answer. */
export class ErrorReplies {
  constructor(
    private readonly contract: ContractDocument,
    /** A client may have put its key where a message names it. */
    private readonly redactor: KeyRedactor,
    /** Told about every defect. */
    readonly report: (error: unknown) => void,
  ) {}

  /** A Refusal as the contract says; anything else is a defect, of which the client learns nothing. */
  from(error: unknown): HttpReply {
    const refusal =
      error instanceof Refusal
        ? error
        : new Refusal('internal_error', 'The server failed to answer this request. Try again later.', { cause: error });
    // Trouble of the storage is told by the storage, once and not at every request.
    if (refusal !== error) this.report(error);
    return {
      status: this.statusOf(refusal.code),
      headers: refusal.headers,
      body: stringifyJson(this.bodyOf(refusal)),
      code: refusal.code,
    };
  }

  private bodyOf({ code, message }: Refusal): ErrorBody {
    return { code, message: this.redactor.redact(message), status: this.statusOf(code) };
  }

  private statusOf(code: ErrorCode): number {
    return this.contract['x-error-codes'][code].status;
  }
}
