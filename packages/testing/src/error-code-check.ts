import { errorCodesOf, everySource, statusOf } from '@contract-server/core/contract/error-codes.js';
import { isJson } from '@contract-server/core/contract/media-types.js';
import { parseJson } from '@contract-server/core/json/exact-json.js';
import type { ReceivedResponse } from './response-violations.js';
import type { TestedContract } from './tested-contract.js';

/** Checks error codes against `x-error-codes`. A contract without it has no rule. */
export class ErrorCodeCheck {
  constructor(
    private readonly contract: TestedContract,
    private readonly codeOf: (body: unknown) => unknown = codeProperty,
  ) {}

  /**
   * What is wrong with the error code of a response. An error in JSON must have a code that the contract or the library
   * has with the status.
   */
  violationsOf(received: ReceivedResponse): string[] {
    if (!this.isRuled(received)) return [];
    const code = this.codeIn(received);
    if (typeof code !== 'string') return ['error code is missing'];
    const status = statusOf(errorCodesOf(this.contract, {}, everySource), code);
    if (status === undefined) return [`error code ${code} is not in x-error-codes`];
    return status === received.status ? [] : [`error code ${code} has the status ${String(status)}`];
  }

  /** The code of a response, if the contract lists it with the status. */
  find(received: ReceivedResponse): string | undefined {
    const isListed = this.isRuled(received) && this.violationsOf(received).length === 0;
    return isListed ? (this.codeIn(received) as string) : undefined;
  }

  private isRuled({ status, headers, text }: ReceivedResponse): boolean {
    const isError = this.contract.ownErrorCodes !== undefined && status >= 400 && text !== '';
    return isError && isJson(String(headers['content-type']));
  }

  /** `undefined` if the body is not JSON, or has another structure than `codeOf` expects. */
  private codeIn({ text }: ReceivedResponse): unknown {
    try {
      return this.codeOf(parseJson(Buffer.from(text)));
    } catch {
      return undefined;
    }
  }
}

function codeProperty(body: unknown): unknown {
  return (body as { readonly code?: unknown } | null)?.code;
}
