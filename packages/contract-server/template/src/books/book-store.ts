import type { Schema } from 'contract-server';
import type { Contract } from '../../generated/contract.js';

export type Book = Schema<Contract, 'Book'>;
export type NewBook = Omit<Book, 'id'>;

/** What handlers need of a database. */
export interface BookStore {
  /** Returns at most `limit` books with an id above `after`, in ascending order. */
  list(page: { readonly limit: number; readonly after: number }): Promise<readonly Book[]>;
  find(id: number): Promise<Book | undefined>;
  /** Assigns the id. Resolves when the book is on disk. */
  insert(book: NewBook): Promise<Book>;
}
