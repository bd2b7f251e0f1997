import { expect } from 'chai';
import type { BookStore } from '#src/books/book-store.js';
import { PostgresBookStore } from '#src/books/postgres/book-store.js';
import { SqliteBookStore } from '#src/books/sqlite/book-store.js';
import { describePostgres, openTestPostgres, sharedPostgres } from '../support/postgres/postgres.js';
import { openTestDatabase } from '../support/sqlite/database.js';

const emma = { title: 'Emma', author: 'Jane Austen' };
const faust = { title: 'Faust "I" – 𝛼', author: 'Goethe' };

/** The guarantees of `BookStore`, for each engine. */
function testStore(open: () => Promise<BookStore>): void {
  it('lists books in ascending order of id, in pages', async () => {
    const store = await open();
    const ids = await Promise.all([store.insert(emma), store.insert(faust), store.insert(emma)]);
    expect(ids).to.deep.equal([1, 2, 3]);
    const { books, lastId } = await store.list(2, 0);
    expect(books.map((book) => JSON.parse(book) as unknown)).to.deep.equal([
      { id: 1, ...emma },
      { id: 2, ...faust },
    ]);
    expect(lastId).to.equal(2);
    expect(await store.list(2, 2)).to.include({ lastId: undefined });
    expect(await store.list(2, 3)).to.deep.equal({ books: [], lastId: undefined });
  });
}

describe('SqliteBookStore', () => testStore(async () => new SqliteBookStore(await openTestDatabase())));

describePostgres('PostgresBookStore', () =>
  testStore(async () => {
    const url = await (await sharedPostgres()).createDatabase();
    return new PostgresBookStore(await openTestPostgres(url));
  }),
);
