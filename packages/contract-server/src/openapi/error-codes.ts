import { type LibraryErrorCode, StartError } from '../lib/errors.js';
import { moduleStatuses } from '../lib/module-statuses.js';
import type { ContractDocument } from './document.js';
import type { ErrorCodeDocs } from './extensions.js';

/** Statuses of errors of the library, for a contract without `x-error-codes`, such as `{ invalid_request: 422 }`. */
export type ErrorStatuses = Readonly<Partial<Record<LibraryErrorCode, number>>>;

/** The error codes that a service can return, by their name. */
export type ErrorCodes = Readonly<Record<string, ErrorCodeDocs>>;

/** The codes of security schemes other than API keys, which few contracts have. */
const unlistedCodes = ['missing_credentials', 'invalid_credentials', 'insufficient_scope'];

/**
 * The error codes of a contract, followed by those of the library that it does not list.
 *
 * @param statuses for codes that the contract does not list. Default: those of the library.
 * @throws StartError for an unknown code, an invalid status, or one that the contract contradicts.
 */
export function errorCodesOf(
  { 'x-error-codes': declared }: Pick<ContractDocument, 'x-error-codes'>,
  statuses: ErrorStatuses = {},
): ErrorCodes {
  for (const [code, status] of Object.entries(statuses)) checkStatus(code, status, declared[code]);
  const all = { ...moduleStatuses, ...statuses };
  const missing = Object.entries(all).filter(([code]) => !Object.hasOwn(declared, code));
  const listed = missing.filter(([code]) => !unlistedCodes.includes(code) || Object.hasOwn(statuses, code));
  return { ...declared, ...Object.fromEntries(listed.map(([code, status]) => [code, { status }])) };
}

function checkStatus(code: string, status: number, declared: ErrorCodeDocs | undefined): void {
  const option = `errors.status sets ${code} to ${String(status)}`;
  if (!Object.hasOwn(moduleStatuses, code))
    throw new StartError(`${option}, but the library has no such error; set its status in x-error-codes.`);
  if (!Number.isInteger(status) || status < 400 || status > 599)
    throw new StartError(`${option}, which is not the status of an error; use 400 to 599.`);
  if (declared !== undefined && declared.status !== status)
    throw new StartError(`${option}, but x-error-codes sets it to ${String(declared.status)}; remove one of them.`);
}
