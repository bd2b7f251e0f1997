import type { Json } from '../../json/exact-json.js';
import type { Links } from '../../openapi/links.js';
import type { Handler } from '../../openapi/types.js';
import type { Book, BookStore } from '../book-store.js';

export function listBooks(store: BookStore, links: Links): Handler<'listBooks'> {
  return async ({ query: { limit, after } }) => {
    const { books, lastId } = await store.list(limit, after);
    const body = `[${books.join(',')}]` as Json<Book[]>;
    if (lastId === undefined) return { status: 200, body };
    const next = links.to('listBooks', {}, { limit, after: lastId });
    return { status: 200, body, headers: { Link: `<${String(next)}>; rel="next"` } };
  };
}
