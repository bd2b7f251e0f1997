import { inspect } from 'node:util';
import { ContractError } from '@contract-server/core/contract/contract-error.js';
import { ApiError, CommandError, UsageError } from '@contract-server/core/lib/errors.js';
import { printable } from '@contract-server/core/lib/printable.js';

export function exitCodeOf(error: unknown): number {
  return error instanceof UsageError ? 2 : 1;
}

/**
 * `error: <what is wrong>; <what to do>` for an error that the operator can act on; any other with its stack. Each line
 * about a contract begins with the place of the mistake, as compilers print it.
 */
export function describeError(error: unknown): string {
  if (error instanceof ContractError) return error.message;
  if (!isForOperators(error)) return inspect(error);
  const isOutage = error instanceof ApiError && error.code === 'store_unavailable' && error.cause instanceof Error;
  const lines = (isOutage ? `The store is unavailable: ${(error.cause as Error).message}` : error.message).split('\n');
  return lines.map((line) => `error: ${toClauses(printable(line))}`).join('\n');
}

function isForOperators(error: unknown): error is Error {
  const isExpected = [CommandError, ApiError].some((kind) => error instanceof kind);
  return isExpected || (error instanceof Error && 'syscall' in error);
}

/** Joins sentences with semicolons, in lower case, as commander and compilers write their errors. */
export function toClauses(text: string): string {
  const sentences = text.replace(/\.$/, '').split(/\.\s+(?=[A-Z])/);
  return sentences
    .map((sentence) => sentence.replace(/^(?!Redis|\w+[A-Z])[A-Z]/, (letter) => letter.toLowerCase()))
    .join('; ');
}
