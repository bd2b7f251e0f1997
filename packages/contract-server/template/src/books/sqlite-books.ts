import type { SqliteDatabase } from 'contract-server/sqlite';
import type { Book, BookStore, NewBook } from './book-store.js';

/** Books in SQLite. */
export function sqliteBooks(db: SqliteDatabase): BookStore {
  const list = db.prepare<[number, number], Book>('SELECT * FROM books WHERE id > ? ORDER BY id LIMIT ?');
  const find = db.prepare<[number], Book>('SELECT * FROM books WHERE id = ?');
  const insert = db.prepare<[NewBook], Book>('INSERT INTO books (title, author) VALUES (@title, @author) RETURNING *');
  return {
    list: ({ limit, after }) => db.run(() => list.all(after, limit)),
    find: (id) => db.run(() => find.get(id)),
    insert: (book) => db.commit(() => insert.get(book) as Book),
  };
}
