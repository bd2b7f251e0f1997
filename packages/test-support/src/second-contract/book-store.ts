import type { Json } from '@contract-server/core/json/exact-json.js';
import type { OperationRequest, Schema } from '@contract-server/core/types/types.js';
import type { SqliteDatabase } from 'contract-server/database/sqlite/database.js';
import type { Contract } from './generated/contract.js';

export type Book = Schema<Contract, 'Book'>;
type Search = OperationRequest<Contract, 'searchBooks'>['query'];

/** The migration that the tables of the API keys are followed by. */
export const booksSql = `
  CREATE TABLE books (
    isbn TEXT PRIMARY KEY, title TEXT NOT NULL, genre TEXT NOT NULL, year INTEGER NOT NULL, shelf INTEGER
  ) STRICT`;

const json = `json_object('isbn', isbn, 'title', title, 'genre', genre, 'year', year, 'shelf', shelf)`;

/** Books in SQLite. */
export class BookStore {
  constructor(private readonly db: SqliteDatabase) {}

  async search({ genre = [], publishedIn = [], order, available }: Search): Promise<Json<Book[]>> {
    const sql = `
      SELECT ${json} FROM books
      WHERE (? = '[]' OR genre IN (SELECT value FROM json_each(?)))
        AND (? = '[]' OR year IN (SELECT value FROM json_each(?)))
        AND (? IS NULL OR (shelf IS NOT NULL) = ?)
      ORDER BY ${order}`;
    const [genres, years] = [JSON.stringify(genre), JSON.stringify(publishedIn)];
    const isAvailable = available === undefined ? null : Number(available);
    const rows = await this.db.run(() =>
      this.db.prepare<unknown[], string>(sql).pluck().all(genres, genres, years, years, isAvailable, isAvailable),
    );
    return `[${rows.join(',')}]` as Json<Book[]>;
  }

  find(isbn: string): Promise<Json<Book> | undefined> {
    return this.db.run(() => this.get(isbn));
  }

  /** Resolves with `false` if there is a book with this ISBN. */
  insert({ isbn, title, genre, year, shelf = null }: Book): Promise<boolean> {
    const values = [isbn, title, genre, year, shelf];
    return this.write('INSERT INTO books VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING', values);
  }

  /** Changes the fields that are given. Resolves with `false` if there is no such book. */
  update(isbn: string, fields: Partial<Omit<Book, 'isbn'>>): Promise<boolean> {
    const changes = Object.keys(fields).map((name) => `${name} = ?`);
    return this.write(`UPDATE books SET ${changes.join(', ')} WHERE isbn = ?`, [...Object.values(fields), isbn]);
  }

  delete(isbn: string): Promise<boolean> {
    return this.write('DELETE FROM books WHERE isbn = ?', [isbn]);
  }

  private async write(sql: string, values: readonly unknown[]): Promise<boolean> {
    const { changes } = await this.db.transaction(() => this.db.prepare(sql).run(...values));
    return changes > 0;
  }

  private get(isbn: string): Json<Book> | undefined {
    return this.db.prepare<[string], Json<Book>>(`SELECT ${json} FROM books WHERE isbn = ?`).pluck().get(isbn);
  }
}
