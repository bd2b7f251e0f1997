import type { BookStore } from '../books/book-store.js';
import { createHandlers } from '../books/handlers/index.js';
import type { WrapStore } from '../observability/metrics.js';
import type { Links } from '../openapi/links.js';
import type { Handlers } from '../openapi/types.js';

/** The stores of the application, which the command line uses too. */
export interface ApplicationStores {
  readonly books: BookStore;
}

/** What the service needs to know about its application. The other modules do not depend on it. */
export function createApplication({ books }: ApplicationStores, wrapStore: WrapStore) {
  const measured = wrapStore('books', books);
  return {
    createHandlers: (links: Links): Handlers => createHandlers(measured, links),
    /** Reads what every request needs, whether or not it exists. */
    check: (): Promise<unknown> => books.list(1, 0),
    /** Runs every second. */
    maintain: (): void => undefined,
  };
}
