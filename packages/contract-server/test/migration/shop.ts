import { fileURLToPath } from 'node:url';
import type { Schema } from '@contract-server/core/types/types.js';
import type { Contract } from './generated/contract.js';

export const contractPath = fileURLToPath(new URL('../../../test/migration/contract.yaml', import.meta.url));

type Book = Schema<Contract, 'Book'>;
type NewBook = Schema<Contract, 'NewBook'>;
type Genre = Book['genre'];

/** The caller with a token: the token is the name. */
export function findUser(token: string | undefined): { readonly id: string } | undefined {
  return token === 'ann' ? { id: 'ann' } : undefined;
}

const shelf: readonly Book[] = [
  { id: 1, title: 'Emma', author: 'Austen', genre: 'novel' },
  { id: 2, title: 'Persuasion', author: 'Austen', genre: 'novel' },
  { id: 3, title: 'Milton', author: 'Blake', genre: 'poetry' },
];

/** What the routes and the handlers of the application share. Nothing is stored, so tests can repeat requests. */
export const books = {
  list: (genre?: Genre) => shelf.filter((book) => genre === undefined || book.genre === genre),
  find: (id: number) => shelf.find((book) => book.id === id),
  by: (author: string) => shelf.filter((book) => book.author === author),
  add: ({ title, author, genre = 'novel' }: NewBook, _owner: string): Book => ({ id: 4, title, author, genre }),
  replace: (id: number, { title, author, genre = 'novel' }: NewBook): Book => ({ id, title, author, genre }),
  prices: (ids: readonly number[]) => Object.fromEntries(ids.map((id) => [String(id), id + 0.5])),
};
