/**
 * Runs single SQL statements: a database of either engine, or a transaction of PostgreSQL. The parameters are `$1`,
 * `$2` and so on in both engines, so that a store whose SQL both understand works on both.
 *
 * Each method rejects with an ApiError `store_unavailable`, a 503, while the storage is unavailable.
 */
export interface Queryable {
  /**
   * Returns the rows: objects with a property per column. An integer column is a number, beyond 2^53 − 1 a bigint.
   * For a write, such as `INSERT … RETURNING`, it resolves when the write is on disk.
   */
  query<Row extends object>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Returns the number of rows that an INSERT, UPDATE or DELETE has changed. Resolves when these are on disk. */
  execute(sql: string, values?: readonly unknown[]): Promise<number>;
}
