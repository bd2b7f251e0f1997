import type { Json } from '../json/exact-json.js';
import type { OperationRequest, Schema } from '../openapi/types.js';

export type Book = Schema<'Book'>;
export type NewBook = OperationRequest<'createBook'>['body'];

export interface BookPage {
  readonly books: readonly Json<Book>[];
  /** The last id of the page, or `undefined` on the last page. */
  readonly lastId: number | undefined;
}

/** The books. Every method throws an ApiError `store_unavailable` if the database is unavailable. */
export interface BookStore {
  /** Returns a page of at most `limit` books in ascending order of id, which begins after an id. */
  list(limit: number, afterId: number): Promise<BookPage>;

  /** Creates a book, and resolves with its id when it is on disk. Ids increase and are never reused. */
  insert(book: NewBook): Promise<number>;
}

/** The page of rows in ascending order, of which a store reads one more than `limit`. */
export function pageOf(rows: readonly (readonly [id: number, book: Json<Book>])[], limit: number): BookPage {
  const page = rows.slice(0, limit);
  return { books: page.map(([, book]) => book), lastId: rows.length > limit ? page.at(-1)?.[0] : undefined };
}
