import type { Queryable, Schema } from 'contract-server';
import type { Contract } from '../../generated/contract.js';

export type Book = Schema<Contract, 'Book'>;
export type NewBook = Omit<Book, 'id'>;

/** Books, in SQLite or PostgreSQL. */
export class BookStore {
  constructor(private readonly db: Queryable) {}

  /** Returns at most `limit` books with an id above `after`, in ascending order. */
  list({ limit, after }: { readonly limit: number; readonly after: number }): Promise<Book[]> {
    return this.db.query<Book>('SELECT * FROM books WHERE id > $1 ORDER BY id LIMIT $2', [after, limit]);
  }

  async find(id: number): Promise<Book | undefined> {
    const [book] = await this.db.query<Book>('SELECT * FROM books WHERE id = $1', [id]);
    return book;
  }

  /** Assigns the id. Resolves when the book is on disk. */
  async insert({ title, author }: NewBook): Promise<Book> {
    const sql = 'INSERT INTO books (title, author) VALUES ($1, $2) RETURNING *';
    const [book] = await this.db.query<Book>(sql, [title, author]);
    return book as Book;
  }
}
