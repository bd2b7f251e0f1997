import { type ContractDocument, keyPrefixesOf } from '../contract/document.js';
import { stringifyJson } from '../contract/exact-json.js';
import type { ErrorBody, ErrorCode } from '../contract/types.js';
import { Refusal } from '../domain/refusal.js';
import type { HttpReply } from './exchange.js';

/** Turns what was thrown into an answer. */
export class ErrorReplies {
  /** What looks like a key: a client may have put one where a message names it. */
  private readonly keys: RegExp;

  constructor(
    private readonly contract: ContractDocument,
    /** Told about every error that is ours rather than the client's. */
    readonly report: (error: unknown) => void,
  ) {
    this.keys = new RegExp(`(${Object.values(keyPrefixesOf(contract)).join('|')})[0-9A-Za-z]+`, 'g');
  }

  /** A Refusal as the contract says; anything else is a defect, of which the client learns nothing. */
  from(error: unknown): HttpReply {
    const refusal =
      error instanceof Refusal
        ? error
        : new Refusal('internal_error', 'The server failed to answer this request. Try again later.', { cause: error });
    const status = this.statusOf(refusal.code);
    if (status >= 500 && refusal.cause !== undefined) this.report(refusal.cause);
    return { status, headers: refusal.headers, body: stringifyJson(this.bodyOf(refusal)) };
  }

  private bodyOf({ code, message }: Refusal): ErrorBody {
    return { code, message: message.replace(this.keys, '$1…'), status: this.statusOf(code) };
  }

  private statusOf(code: ErrorCode): number {
    return this.contract['x-error-codes'][code].status;
  }
}
