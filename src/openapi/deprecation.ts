import { type ContractDocument, requireOperation } from './document.js';
import type { OperationId } from './types.js';

/** An announced removal, from `x-deprecated-at`, `x-sunset` and `x-successor`. Times are Unix milliseconds. */
export interface Deprecation {
  readonly deprecatedAt: number;
  /** From then on the operation returns 410. */
  readonly sunsetAt: number;
  readonly successor: OperationId;
}

/** `undefined` for an operation that is not deprecated. @throws TypeError if the announcement is incomplete. */
export function deprecationOf(document: ContractDocument, id: OperationId): Deprecation | undefined {
  const { operation } = requireOperation(document, id);
  if (operation.deprecated !== true) return undefined;
  const { 'x-deprecated-at': since, 'x-sunset': sunset, 'x-successor': successor } = operation;
  if (since === undefined || sunset === undefined || successor === undefined) {
    throw new TypeError(`The deprecated operation ${id} lacks x-deprecated-at, x-sunset or x-successor.`);
  }
  return { deprecatedAt: midnightOf(since), sunsetAt: midnightOf(sunset), successor };
}

export function isRemoved(deprecation: Deprecation | undefined, now: number): boolean {
  return deprecation !== undefined && now >= deprecation.sunsetAt;
}

function midnightOf(day: string): number {
  const time = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(time)) throw new TypeError(`${day} is not a day of the form YYYY-MM-DD.`);
  return time;
}
