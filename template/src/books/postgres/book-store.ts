import { GroupCommit, type WriteMetrics } from '../../database/group-commit.js';
import type { PostgresDatabase, Statement } from '../../database/postgres/database.js';
import type { Json } from '../../json/exact-json.js';
import { type Book, type BookPage, type BookStore, type NewBook, pageOf } from '../book-store.js';

const listBooks: Statement = {
  name: 'list_books',
  text: `SELECT id, json_build_object('id', id, 'title', title, 'author', author)::text
    FROM books WHERE id > $1 ORDER BY id LIMIT $2`,
};
/** The lock makes books visible in the order of their ids, also with several nodes: a page misses none. */
const insertBooks: Statement = {
  name: 'insert_books',
  text: `WITH locked AS MATERIALIZED (SELECT pg_advisory_xact_lock('books'::regclass::bigint))
    INSERT INTO books (title, author)
    SELECT title, author FROM locked, unnest($1::text[], $2::text[]) WITH ORDINALITY AS given (title, author, ordinal)
    ORDER BY ordinal RETURNING id`,
};

export class PostgresBookStore implements BookStore {
  private readonly creations: GroupCommit<NewBook, number>;

  constructor(
    private readonly db: PostgresDatabase,
    metrics?: WriteMetrics,
  ) {
    this.creations = new GroupCommit((books) => this.insertAll(books), metrics);
  }

  async list(limit: number, afterId: number): Promise<BookPage> {
    return pageOf(await this.db.query<[number, Json<Book>]>(listBooks, [afterId, limit + 1]), limit);
  }

  insert(book: NewBook): Promise<number> {
    return this.creations.add(book);
  }

  /** Resolves when every creation has settled. */
  close(): Promise<void> {
    return this.creations.idle();
  }

  private async insertAll(books: readonly NewBook[]): Promise<number[]> {
    const values = [books.map(({ title }) => title), books.map(({ author }) => author)];
    return (await this.db.query<[number]>(insertBooks, values)).map(([id]) => id);
  }
}
