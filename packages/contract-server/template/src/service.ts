import { createService } from 'contract-server';
import { apiKeys } from 'contract-server/api-keys';
import { apiReference } from 'contract-server/reference';
import { sqlite } from 'contract-server/sqlite';
import type { Contract } from '../generated/contract.js';
import { BookStore } from './books/book-store.js';
import { bookHandlers } from './books/handlers.js';

export const service = createService<Contract>()({
  name: 'my-service',
  contract: new URL('../spec/my-service.yaml', import.meta.url),
  stores: {
    migrations: new URL('../migrations/', import.meta.url),
    sqlite: sqlite((db) => ({ books: new BookStore(db) })),
  },
  security: { apiKey: apiKeys() },
  reference: apiReference(),
  create: ({ stores: { books } }) => ({
    handlers: { ...bookHandlers(books) },
    // For `/readyz`.
    check: () => books.list({ limit: 1, after: 0 }),
  }),
});
