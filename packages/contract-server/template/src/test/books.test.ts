import { startService, type TestedService } from '@contract-server/testing';
import { expect } from 'chai';
import type { NewBook } from '../books/book-store.js';
import { service } from '../service.js';

/** Every field, so that one that is added to the contract fails to compile until it is tested. */
const dune: Required<NewBook> = { title: 'Dune', author: 'Frank Herbert' };

describe('books', () => {
  let tested: TestedService;
  let apiKey: string;
  beforeEach(async () => {
    tested = await startService(service);
    apiKey = await tested.createApiKey();
  });
  afterEach(() => tested.close());

  /** Sends a request whose response is checked against the contract. */
  const send = (method: 'get' | 'post', path: string) =>
    tested.request[method](`${tested.basePath}${path}`).set('Authorization', `Bearer ${apiKey}`);

  it('createBook returns the book, which getBook and listBooks then return', async () => {
    const book = { id: 1, ...dune };
    const created = await send('post', '/books').send(dune).expect(201);
    expect(created.body).to.deep.equal(book);
    expect(created.headers).to.include({ location: `${tested.baseUrl}/books/1` });
    await send('get', '/books/1').expect(200, book);
    await send('get', '/books').expect(200, [book]);
  });

  it('listBooks returns pages in ascending order of ids', async () => {
    for (const title of ['Emma', 'Ulysses', 'Beloved']) await send('post', '/books').send({ ...dune, title });
    await send('get', '/books?after=1&limit=1').expect(200, [{ ...dune, id: 2, title: 'Ulysses' }]);
  });

  it('createBook returns 400 for a book that the contract does not allow', async () => {
    const invalid = { ...dune, title: '' };
    const message = '`title` must have at least 1 character.';
    await send('post', '/books').send(invalid).expect(400, { code: 'invalid_request', message, status: 400 });
  });

  it('getBook returns 404 for an unknown id', async () => {
    const message = 'No book has the id 7.';
    await send('get', '/books/7').expect(404, { code: 'book_not_found', message, status: 404 });
  });

  it('returns 401 without a valid API key', async () => {
    apiKey = 'unknown';
    const response = await send('get', '/books').expect(401);
    expect(response.body).to.include({ code: 'invalid_api_key' });
  });
});
