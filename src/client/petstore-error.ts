import { ClientError, type ClientErrorCode } from '@contract-server/client';
import type { Contract } from '../../generated/contract.js';

/** An error code of the service; the API reference describes each. */
export type ServiceErrorCode = keyof Contract['errorStatuses'];

/** Any string, because the service may add codes. Editors suggest the known codes. */
export type PetstoreErrorCode = ServiceErrorCode | ClientErrorCode | (string & {});

/** The error of a call. Use `isPetstoreError` to narrow it by its code. */
export class PetstoreError<Code extends string = PetstoreErrorCode> extends ClientError<
  Code,
  Contract['errorStatuses']
> {
  override readonly name = 'PetstoreError';
}

/** Whether `error` is a `PetstoreError`, with one of these codes if any are given. */
export function isPetstoreError<Code extends PetstoreErrorCode = PetstoreErrorCode>(
  error: unknown,
  ...codes: readonly Code[]
): error is PetstoreError<Code> {
  return error instanceof PetstoreError && (codes.length === 0 || codes.some((code) => code === error.code));
}
