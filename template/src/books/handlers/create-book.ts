import { stringifyJson } from '../../json/exact-json.js';
import type { Handler } from '../../openapi/types.js';
import type { Book, BookStore } from '../book-store.js';

export function createBook(store: BookStore): Handler<'createBook'> {
  return async ({ body: { title, author } }) => {
    const id = await store.insert({ title, author });
    return { status: 201, body: stringifyJson<Book>({ id, title, author }) };
  };
}
