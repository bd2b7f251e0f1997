import { getSystemErrorMap } from 'node:util';
import type { genericStatuses } from './generic-statuses.js';
import type { moduleStatuses } from './module-statuses.js';

/** A code of an error that the library returns. */
export type LibraryErrorCode = keyof typeof moduleStatuses;

/** The part of a contract's types that its codes derive from. */
interface ErrorTypes {
  readonly errorStatuses: object;
  readonly operations: object;
  readonly defaults: object;
}

/**
 * A code that an application can throw: one of its contract's `x-error-codes`, one of the library, or a generic one
 * such as `not_found`, if an operation declares its status, a range such as `4XX` or `default`.
 */
export type ErrorCode<Contract extends ErrorTypes> =
  | (keyof Contract['errorStatuses'] & string)
  | LibraryErrorCode
  | GenericCode<DeclaredStatus<Contract['operations'], keyof Contract['defaults']>>;

type GenericStatuses = typeof genericStatuses;

type GenericCode<Declared> = {
  [Code in keyof GenericStatuses]: Extract<Declared, CoveringStatus<GenericStatuses[Code]>> extends never
    ? never
    : Code;
}[keyof GenericStatuses];

/** What a contract can declare for a status. */
type CoveringStatus<Status extends number> = `${Status}` extends `${infer First}${number}`
  ? Status | `${First}XX` | 'default'
  : never;

/** The statuses of the operations with these ids: `operations` also has those of webhooks. */
type DeclaredStatus<Operations, Id> = {
  [Each in keyof Operations & Id]: Operations[Each] extends { readonly responses: infer Responses }
    ? keyof Responses
    : never;
}[keyof Operations & Id];

/** An invalid part of a request. */
export interface Violation {
  readonly in: 'body' | 'query' | 'path' | 'header' | 'cookie';
  /**
   * The JSON Pointer (RFC 6901) to the value, or to the missing field, within this part; '' for the whole part. A
   * header has its name in lower case.
   */
  readonly pointer: string;
  /** A whole sentence. */
  readonly message: string;
  /** The keyword of the schema that it violates, such as `required` or `minLength`; none for any other rule. */
  readonly keyword?: string;
}

/** What an `ApiError` has besides its code and its message. */
interface ApiErrorOptions {
  /** Added to the response. */
  readonly headers?: Readonly<Record<string, string>>;
  /** For the log only. */
  readonly cause?: unknown;
  /** What is invalid in the request. */
  readonly violations?: readonly Violation[];
}

/**
 * An error that the client receives and can act on. The contract defines the code and its status; the message describes
 * what to do. Anything else that is thrown is a defect, and returns 500.
 *
 * It has no stack trace: capturing one takes longer than everything else that rejects a request.
 */
export class ApiError<Code extends string = LibraryErrorCode> extends Error {
  override readonly name = 'ApiError';
  readonly headers: Readonly<Record<string, string>>;
  readonly violations: readonly Violation[];

  constructor(
    readonly code: Code,
    message: string,
    { headers = {}, cause, violations = [] }: ApiErrorOptions = {},
  ) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message, { cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.headers = headers;
    this.violations = violations;
  }
}

/** The class of errors of a contract: `ApiError` with its codes. */
export type ApiErrorOf<Contract extends ErrorTypes> = new (
  ...args: ConstructorParameters<typeof ApiError<ErrorCode<Contract>>>
) => ApiError<ErrorCode<Contract>>;

/** Returns `ApiError` with the error codes of a contract: any other code fails to compile. */
export function errorsOf<Contract extends ErrorTypes>(): ApiErrorOf<Contract> {
  return ApiError;
}

/** 503: the storage does not respond, is full, read-only or damaged. */
export function storeUnavailable(cause: unknown): ApiError {
  const message = 'The storage is unavailable. Retry after the time in Retry-After.';
  return new ApiError('store_unavailable', message, { headers: { 'Retry-After': '1' }, cause });
}

/** An outage of a database or of Redis, for the log: its start, another reason for it, or its end. */
export class StoreEvent {
  constructor(
    readonly kind: 'storage outage' | 'storage recovered',
    readonly message: string,
  ) {}
}

/** Reports an internal error, with the id of the request that caused it, or a `StoreEvent`. */
export type Report = (error: unknown, requestId?: string) => void;

/** 503: the server has reached the number of requests that it handles at a time. */
export function serverBusy(): ApiError {
  const message = 'The server is overloaded. Retry after the time in Retry-After.';
  return new ApiError('server_busy', message, { headers: { 'Retry-After': '1' } });
}

/** 400: the path or the query has an escape that cannot be decoded. */
export function malformedUrl(): ApiError {
  return new ApiError('malformed_url', 'The URL has an invalid percent-encoding. Encode a percent sign as %25.');
}

/** 400: a cursor that was not issued for this list. */
export function invalidCursor(): ApiError {
  const resolution = 'Request the first page without a cursor, and follow the next links unchanged.';
  return new ApiError('invalid_cursor', `The cursor is invalid for this list. ${resolution}`);
}

/** A command failed, or the service cannot start. The message contains what the operator can do. */
export class CommandError extends Error {
  override readonly name: string = 'CommandError';
}

/** Invalid settings or arguments: each line of the message is one sentence. The exit code is 2. */
export class UsageError extends CommandError {}

/** The service cannot start with its configuration. */
export class StartError extends CommandError {
  override readonly name = 'StartError';
}

/** What was thrown, for the `next` of Express: `undefined` and the texts `route` and `router` are no errors to it. */
export function toError(thrown: unknown): unknown {
  if (Boolean(thrown) && thrown !== 'route' && thrown !== 'router') return thrown;
  return new Error(`${String(thrown)} was thrown.`);
}

/** The message of an error, shortened: a server may send any text. */
export function reasonOf(error: unknown): string {
  // If a host name has several addresses, Node's error only contains one error per address.
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  const text = error instanceof Error && error.message !== '' ? error.message : String(error);
  return text.replace(/^(.{200}).+$/s, '$1…');
}

/** Why a system call failed, without its code and its path: `no such file or directory`. */
export function systemReasonOf(error: unknown): string {
  const { errno = 0 } = error as NodeJS.ErrnoException;
  return getSystemErrorMap().get(errno)?.[1] ?? reasonOf(error);
}
