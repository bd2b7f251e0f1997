import type { BookStore } from '../books/book-store.js';
import { createHandlers } from '../books/handlers/index.js';
import { SqliteBookStore } from '../books/sqlite/book-store.js';
import type { WriteMetrics } from '../database/group-commit.js';
import type { PostgresDatabase } from '../database/postgres/database.js';
import type { SqliteDatabase } from '../database/sqlite/database.js';
import type { MeasureStore } from '../observability/metrics.js';
import type { Links } from '../openapi/links.js';
import type { Handlers } from '../openapi/types.js';

/** The stores of the application, which the command line uses too. */
export interface ApplicationStores {
  readonly books: BookStore;
  /** Resolves when pending writes have settled. */
  close(): Promise<void>;
}

export function createSqliteStores(db: SqliteDatabase, metrics?: WriteMetrics): ApplicationStores {
  const books = new SqliteBookStore(db, metrics);
  return { books, close: () => books.close() };
}

/** Loads its modules on demand, because loading them delays the start. */
export async function createPostgresStores(db: PostgresDatabase, metrics?: WriteMetrics): Promise<ApplicationStores> {
  const { PostgresBookStore } = await import('../books/postgres/book-store.js');
  const books = new PostgresBookStore(db, metrics);
  return { books, close: () => books.close() };
}

/** Runs at every start with PostgreSQL, after the migrations. */
export const postgresStartSql = '';

/** What the service uses of its application: handlers, a check of their store, and maintenance. */
export function createApplication({ books }: ApplicationStores, measureStore: MeasureStore) {
  const measured = measureStore('books', books, ['list', 'insert']);
  return {
    createHandlers: (links: Links): Handlers => createHandlers(measured, links),
    /** Reads one page, to find out whether the store responds. */
    check: (): Promise<unknown> => books.list(1, 0),
    /** Runs every second. */
    maintain: (): void => undefined,
  };
}
