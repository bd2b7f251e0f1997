import type { Links } from '../../openapi/links.js';
import type { Handlers } from '../../openapi/types.js';
import type { BookStore } from '../book-store.js';
import { createBook } from './create-book.js';
import { listBooks } from './list-books.js';

/** The handlers of every implemented operation, by operationId. */
export function createHandlers(store: BookStore, links: Links): Handlers {
  return {
    listBooks: listBooks(store, links),
    createBook: createBook(store),
  };
}
