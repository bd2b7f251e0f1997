import type Database from 'better-sqlite3';

/** Whether an error is one of SQLite, with a `code` such as `SQLITE_CONSTRAINT_UNIQUE`. */
export function isSqliteError(error: unknown): error is InstanceType<typeof Database.SqliteError> {
  return error instanceof Error && error.name === 'SqliteError';
}
