import { memberOf } from '../json/object-members.js';
import { type LibraryErrorCode, StartError } from '../lib/errors.js';
import { genericStatuses } from '../lib/generic-statuses.js';
import { moduleStatuses } from '../lib/module-statuses.js';
import { suggestion } from '../lib/option-rules.js';
import type { Contract } from './contract.js';
import type { ErrorCodeDocs } from './extensions.js';

/** Statuses of errors of the library, for a contract without `x-error-codes`, such as `{ invalid_request: 422 }`. */
export type ErrorStatuses = Readonly<Partial<Record<LibraryErrorCode, number>>>;

/** The error codes that a service can return, by their name. */
export type ErrorCodes = Readonly<Record<string, ErrorCodeDocs>>;

/** The parts of a server that return errors of their own. */
export interface ErrorSources {
  readonly hasApiKeys?: boolean;
  /** Whether a security scheme has other credentials than API keys. */
  readonly hasCredentials?: boolean;
  readonly hasStores?: boolean;
  /** Whether it serves the API reference, which is limited per client address. */
  readonly hasReference?: boolean;
}

/** Those of a server with all parts. */
export const everySource: ErrorSources = {
  hasApiKeys: true,
  hasCredentials: true,
  hasStores: true,
  hasReference: true,
};

type Condition = (contract: Contract, sources: ErrorSources) => boolean | undefined;

const isLimited: Condition = ({ plans }) => Object.values(plans).some((plan) => plan !== 'unlimited');
const hasApiKeys: Condition = (_contract, sources) => sources.hasApiKeys;
const hasCredentials: Condition = (_contract, sources) => sources.hasCredentials;

/** When a server can return an error of the library. Any other can occur in every server. */
const conditions: Readonly<Partial<Record<string, Condition>>> = {
  // Applications throw it.
  invalid_cursor: () => false,
  missing_api_key: hasApiKeys,
  invalid_api_key: hasApiKeys,
  missing_credentials: hasCredentials,
  invalid_credentials: hasCredentials,
  insufficient_scope: hasCredentials,
  operation_removed: ({ operations }) => operations.some(({ declaration }) => 'x-sunset' in declaration),
  rate_limit_exceeded: (contract, sources) =>
    isLimited(contract, sources) ||
    sources.hasReference ||
    contract.operations.some(({ limit }) => limit !== undefined),
  daily_quota_exceeded: isLimited,
  api_key_banned: (contract, sources) => isLimited(contract, sources) && 'x-rate-limit-ban' in contract.document,
  store_unavailable: (_contract, sources) => sources.hasStores,
};

/**
 * The error codes of a contract, followed by those of the library that it does not list and the server can return.
 *
 * @param statuses for codes that the contract does not list. Default: those of the library.
 * @throws StartError for an unknown code, or a status that the contract contradicts.
 */
export function errorCodesOf(contract: Contract, statuses: ErrorStatuses = {}, sources: ErrorSources = {}): ErrorCodes {
  const { 'x-error-codes': declared } = contract.document;
  for (const [code, status] of Object.entries(statuses)) checkStatus(code, status, declared[code]);
  const all = { ...moduleStatuses, ...statuses };
  const missing = Object.entries(all).filter(([code]) => !Object.hasOwn(declared, code));
  const isListed = (code: string) => {
    const { [code]: condition } = conditions;
    return condition === undefined || Object.hasOwn(statuses, code) || condition(contract, sources) === true;
  };
  const listed = missing.filter(([code]) => isListed(code));
  return { ...declared, ...Object.fromEntries(listed.map(([code, status]) => [code, { status }])) };
}

/** The status of a code: of those listed, else of the library, else generic; `undefined` for any other code. */
export function statusOf(listed: ErrorCodes, code: string): number | undefined {
  const { status } = (memberOf(listed, code) ?? {}) as Partial<ErrorCodeDocs>;
  return status ?? (memberOf(unlistedStatuses, code) as number | undefined);
}

const unlistedStatuses = { ...genericStatuses, ...moduleStatuses };

function checkStatus(code: string, status: number, declared: ErrorCodeDocs | undefined): void {
  const option = `errors.status sets ${code} to ${String(status)}`;
  if (!Object.hasOwn(moduleStatuses, code)) {
    const hint = suggestion(code, Object.keys(moduleStatuses));
    throw new StartError(`${option}, but the library has no such error; set its status in x-error-codes.${hint}`);
  }
  if (declared !== undefined && declared.status !== status)
    throw new StartError(`${option}, but x-error-codes sets it to ${String(declared.status)}; remove one of them.`);
}
