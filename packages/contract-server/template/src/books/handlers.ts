import { errorsOf, type Handlers } from 'contract-server';
import type { Contract } from '../../generated/contract.js';
import type { BookStore } from './book-store.js';

const ApiError = errorsOf<Contract>();

/** The handlers of the operations on books, by operationId. */
export const bookHandlers = (books: BookStore) =>
  ({
    listBooks: async ({ query }) => ({ status: 200, body: await books.list(query) }),

    createBook: async ({ body }, { links }) => {
      const book = await books.insert(body);
      return { status: 201, body: book, headers: { Location: String(links.to('getBook', { bookId: book.id })) } };
    },

    getBook: async ({ path: { bookId } }) => {
      const book = await books.find(bookId);
      if (book === undefined) throw new ApiError('book_not_found', `No book has the id ${String(bookId)}.`);
      return { status: 200, body: book };
    },
  }) satisfies Partial<Handlers<Contract>>;
