import { type Json, stringifyJson } from '@contract-server/core/json/exact-json.js';
import { errorsOf } from '@contract-server/core/lib/errors.js';
import type { Handlers } from '@contract-server/core/types/types.js';
import type { Book, BookStore } from './book-store.js';
import type { Contract } from './generated/contract.js';

const ApiError = errorsOf<Contract>();

/** The handlers of the library. */
export function createHandlers(books: BookStore): Handlers<Contract> {
  const requireBook = async (isbn: string): Promise<Json<Book>> => {
    const book = await books.find(isbn);
    if (book === undefined) throw new ApiError('book_not_found', `There is no book with the ISBN ${isbn}.`);
    return book;
  };
  return {
    searchBooks: async ({ query }) => ({ status: 200, body: await books.search(query) }),
    addBook: async ({ body: book }, { links }) => {
      if (!(await books.insert(book))) throw new ApiError('book_exists', `There is a book with the ISBN ${book.isbn}.`);
      const location = links.to('getBook', { isbn: book.isbn });
      return { status: 201, body: await requireBook(book.isbn), headers: { Location: String(location) } };
    },
    getBook: async ({ path }) => ({ status: 200, body: await requireBook(path.isbn) }),
    replaceBook: async ({ path, body: { title, genre, year, shelf = null } }) => {
      await books.update(path.isbn, { title, genre, year, shelf });
      return { status: 200, body: await requireBook(path.isbn) };
    },
    changeBook: async ({ path, body }) => {
      await books.update(path.isbn, body);
      return { status: 200, body: await requireBook(path.isbn) };
    },
    removeBook: async ({ path }) => {
      if (!(await books.delete(path.isbn))) await requireBook(path.isbn);
      return { status: 204 };
    },
    getLoan: ({ path: { floor, wing, loanId }, header }) => {
      const trace = header['x-trace'];
      const body = stringifyJson({ floor, wing, loanId, ...(trace !== undefined && { trace }) });
      return Promise.resolve({ status: 200, body });
    },
    getCatalogueCard: async ({ path }) => ({ status: 200, body: await requireBook(path.isbn) }),
  };
}
