import type Database from 'better-sqlite3';
import type { StoreDatabase } from '../../database/sqlite/store-database.js';
import { expiredKeysMax, type IdempotentRequest, type IdempotentResult } from '../pet-store.js';

export const deleteExpiredSql = `
  DELETE FROM idempotency_keys WHERE (quota_id, key) IN (
    SELECT quota_id, key FROM idempotency_keys INDEXED BY idempotency_keys_by_expiry
      WHERE expires_at <= ? LIMIT ${String(expiredKeysMax)}
  )`;

type Row = readonly [petId: number, bodyDigest: Buffer];

/** The keys of requests that created a pet. Methods run in the transaction of the caller. */
export class SqliteIdempotencyKeys {
  private readonly one: Database.Statement<[string, string, number], Row>;
  private readonly upsert: Database.Statement<[string, string, Uint8Array, number, number]>;
  private readonly anyExpired: Database.Statement<[number], number>;
  private readonly deleteExpiredRows: Database.Statement<[number]>;

  constructor(db: StoreDatabase) {
    this.one = db
      .prepare<[string, string, number], Row>(
        'SELECT pet_id, body_digest FROM idempotency_keys WHERE quota_id = ? AND key = ? AND expires_at > ?',
      )
      .raw();
    // Replaces an expired row that has not been deleted yet.
    this.upsert = db.prepare('INSERT OR REPLACE INTO idempotency_keys VALUES (?, ?, ?, ?, ?)');
    this.anyExpired = db
      .prepare<[number], number>('SELECT 1 FROM idempotency_keys WHERE expires_at <= ? LIMIT 1')
      .pluck();
    this.deleteExpiredRows = db.prepare(deleteExpiredSql);
  }

  findReplay({ quotaId, key, bodyDigest, sentAt }: IdempotentRequest): IdempotentResult | undefined {
    const row = this.one.get(quotaId, key, sentAt);
    if (row === undefined) return undefined;
    const [id, digest] = row;
    return { kind: digest.equals(bodyDigest) ? 'replayed' : 'other body', id };
  }

  save({ quotaId, key, bodyDigest, expiresAt }: IdempotentRequest, petId: number): void {
    this.upsert.run(quotaId, key, bodyDigest, petId, expiresAt);
  }

  hasExpired(now: number): boolean {
    return this.anyExpired.get(now) !== undefined;
  }

  /** Deletes up to `expiredKeysMax` expired rows. @returns their number. */
  deleteExpired(now: number): number {
    return this.deleteExpiredRows.run(now).changes;
  }
}
