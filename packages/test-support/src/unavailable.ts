import { ApiError } from '@contract-server/core/lib/errors.js';
import { expect } from 'chai';
import { isSqliteError } from 'contract-server/database/sqlite/sqlite-error.js';
import { DatabaseError } from 'pg';
import type { TimedResponse } from './clients/send.js';
import { errorOf } from './error-of.js';

/** Maximum time of a response during an outage, and of the recovery after it: 5 s. */
export const promisedMs = 5000;

/**
 * Fails unless the promise is rejected in time with `store_unavailable`.
 *
 * @param cause matches the code of the error of SQLite or PostgreSQL, or the text of any other error.
 */
export async function expectUnavailable(promise: Promise<unknown>, cause: RegExp): Promise<void> {
  const startedAt = performance.now();
  const error = await errorOf(promise);
  expect(performance.now() - startedAt).to.be.below(promisedMs);
  expect(error).to.be.instanceOf(ApiError).and.include({ code: 'store_unavailable' });
  const apiError = error as ApiError;
  expect(apiError.headers).to.deep.equal({ 'Retry-After': '1' });
  const hasCode = apiError.cause instanceof DatabaseError || isSqliteError(apiError.cause);
  expect(hasCode ? (apiError.cause as { code: string }).code : String(apiError.cause)).to.match(cause);
}

/** Requires a 503 of a store, with Retry-After. */
export function expectStoreUnavailable({ status, headers, text }: TimedResponse): void {
  expect([status, headers['retry-after'], JSON.parse(text)]).to.deep.equal([
    ...[503, '1'],
    { code: 'store_unavailable', message: 'The storage is unavailable. Retry after the time in Retry-After.', status },
  ]);
}
