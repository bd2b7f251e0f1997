import { type ContractDocument, operationsOf, requireOperation } from './document.js';
import type { OperationId } from './types.js';

/** An announced removal, from `x-deprecated-at`, `x-sunset` and `x-successor`. Times are Unix milliseconds. */
export interface Deprecation {
  readonly deprecatedAt: number;
  /** From then on the operation returns 410. */
  readonly sunsetAt: number;
  readonly successor: OperationId;
}

/**
 * `undefined` for an operation that is not deprecated. @throws TypeError if the announcement is incomplete or wrong.
 */
export function findDeprecation(document: ContractDocument, id: OperationId): Deprecation | undefined {
  const { operation } = requireOperation(document, id);
  if (operation.deprecated !== true) return undefined;
  const { 'x-deprecated-at': since, 'x-sunset': sunset, 'x-successor': successor } = operation;
  if (since === undefined || sunset === undefined || successor === undefined) {
    throw new TypeError(`The deprecated operation ${id} lacks x-deprecated-at, x-sunset or x-successor.`);
  }
  return {
    deprecatedAt: midnightOf(id, since),
    sunsetAt: midnightOf(id, sunset),
    successor: requireSuccessor(document, id, successor),
  };
}

/** The URL of the successor is a header of every response: it must be the same for all of them, and stay valid. */
function requireSuccessor(document: ContractDocument, id: OperationId, successor: string): OperationId {
  const entry = operationsOf(document).find(({ operation }) => operation.operationId === successor);
  if (entry === undefined) throw new TypeError(`x-successor of ${id}: the contract has no operation ${successor}.`);
  if (entry.operation.deprecated === true || entry.path.includes('{')) {
    throw new TypeError(`x-successor of ${id}: ${successor} is deprecated or has a path parameter.`);
  }
  return successor as OperationId;
}

export function isRemoved(deprecation: Deprecation | undefined, now: number): boolean {
  return deprecation !== undefined && now >= deprecation.sunsetAt;
}

function midnightOf(id: OperationId, day: string): number {
  const time = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(time)) throw new TypeError(`Deprecation of ${id}: ${day} is not a day of the form YYYY-MM-DD.`);
  return time;
}
