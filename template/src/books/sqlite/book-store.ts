import { GroupCommit, type WriteMetrics } from '../../database/group-commit.js';
import type { SqliteDatabase } from '../../database/sqlite/database.js';
import type { Json } from '../../json/exact-json.js';
import { type Book, type BookPage, type BookStore, type NewBook, pageOf } from '../book-store.js';

const listSql = `
  SELECT id, json_object('id', id, 'title', title, 'author', author) FROM books WHERE id > ? ORDER BY id LIMIT ?`;

export class SqliteBookStore implements BookStore {
  private readonly creations: GroupCommit<NewBook, number>;

  constructor(
    private readonly db: SqliteDatabase,
    metrics?: WriteMetrics,
  ) {
    const insert = db.prepare<[string, string]>('INSERT INTO books (title, author) VALUES (?, ?)');
    const insertAll = (books: readonly NewBook[]) =>
      books.map(({ title, author }) => Number(insert.run(title, author).lastInsertRowid));
    this.creations = new GroupCommit((books) => db.commit(() => insertAll(books)), metrics);
  }

  list(limit: number, afterId: number): Promise<BookPage> {
    const select = this.db.prepare<[number, number], [number, Json<Book>]>(listSql).raw();
    return this.db.run(() => pageOf(select.all(afterId, limit + 1), limit));
  }

  insert(book: NewBook): Promise<number> {
    return this.creations.add(book);
  }

  /** Resolves when every creation has settled. */
  close(): Promise<void> {
    return this.creations.idle();
  }
}
