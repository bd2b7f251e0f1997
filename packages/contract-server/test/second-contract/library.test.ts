import { readFile } from 'node:fs/promises';
import {
  createLibraryMock,
  type Library,
  startLibrary,
} from '@contract-server/test-support/second-contract/library-service.js';
import { expect } from 'chai';
import request from 'supertest';

const sicp = { isbn: '9780262510875', title: 'SICP', genre: 'science', year: 1996, shelf: 7 };
const emma = { isbn: '9780262999997', title: 'Emma', genre: 'fiction' };
const unknownIsbn = '9790000000000';

describe('a service with another contract', () => {
  let library: Library;
  let authorization: string;
  beforeEach(async () => {
    library = await startLibrary();
    authorization = `Bearer ${await createKey('staff')}`;
  });
  afterEach(async () => {
    await library.close();
    expect(library.reported).to.deep.equal([]);
  });

  async function createKey(plan: 'staff' | 'reader'): Promise<string> {
    const limits = plan === 'staff' ? { requestsPerMinute: 1000, requestsPerDay: 1000 } : undefined;
    return (await library.keys.create({ name: plan, plan, limits, expiresAt: undefined })).token;
  }
  type Method = 'get' | 'put' | 'post' | 'delete' | 'patch' | 'options';
  const send = (method: Method, path: string) =>
    request(library.server)[method](`/api/v2${path}`).set('Authorization', authorization);
  const expectError = (response: request.Response, status: number, code: string, message: string) =>
    expect([response.status, response.body]).to.deep.equal([status, { code, message, status }]);

  describe('operations', () => {
    it('create with POST, read with GET, replace with PUT, change with PATCH and remove with DELETE', async () => {
      const path = `/books/${sicp.isbn}`;
      const added = await send('post', '/books').send(sicp).expect(201, sicp);
      expect(added.headers['location']).to.equal(`${library.baseUrl}${path}`);
      await send('get', path).expect(200, sicp);
      const { isbn } = sicp;
      const replaced = { title: 'Structure', genre: 'science' };
      await send('put', path)
        .send(replaced)
        .expect(200, { isbn, ...replaced, year: 1900, shelf: null });
      await send('patch', path)
        .send({ year: 1985 })
        .expect(200, { isbn, ...replaced, year: 1985, shelf: null });
      const removed = await send('delete', path).expect(204, '');
      expect(removed.headers).not.to.have.any.keys('content-type', 'content-length');
      expectError(await send('get', path), 404, 'book_not_found', `There is no book with the ISBN ${isbn}.`);
    });

    it('store and return 64-bit integers exactly, and null', async () => {
      const text = '{"isbn":"9780262510875","title":"SICP","genre":"science","year":1996,"shelf":9223372036854775807}';
      const added = await send('post', '/books').type('json').send(text).expect(201);
      expect(added.text).to.equal(text);
      const path = `/books/${sicp.isbn}`;
      expect((await send('patch', path).send({ shelf: null })).body).to.include({ shelf: null });
      const wrong = await send('patch', path).send({ shelf: 'x', year: null });
      expect(wrong.body).to.include({
        message:
          '`year` must be an integer from 1450 to 2100. ' +
          '`shelf` must be an integer from -9223372036854775808 to 9223372036854775807 or null.',
      });
    });

    it('receive path and header parameters of several types', async () => {
      const loanId = '2f1b3c9e-8f0a-4b6e-9d3c-1a2b3c4d5e6f';
      const loan = { floor: -2, wing: 'south', loanId };
      await send('get', `/rooms/-2/south/loans/${loanId}`).expect(200, loan);
      await send('get', `/rooms/-2/south/loans/${loanId}`)
        .set('X-Trace', '12')
        .expect(200, { ...loan, trace: 12 });
      expectError(
        await send('get', '/rooms/10/west/loans/1').set('X-Trace', '1.5'),
        400,
        'invalid_request',
        '`floor` must be an integer from -2 to 9. `wing` must be one of: north, south. ' +
          '`loanId` must have the format uuid. ' +
          '`X-Trace` must be an integer from -9007199254740991 to 9007199254740991.',
      );
    });

    it('receive arrays, enums, booleans and defaults of the query', async () => {
      for (const book of [sicp, emma]) await send('post', '/books').send(book).expect(201);
      const titles = async (query: string) => {
        const found = await send('get', `/books${query}`).expect(200);
        return (found.body as { title: string }[]).map(({ title }) => title);
      };
      expect(await titles('')).to.deep.equal(['SICP', 'Emma']);
      expect(await titles('?order=title')).to.deep.equal(['Emma', 'SICP']);
      expect(await titles('?genre=science')).to.deep.equal(['SICP']);
      expect(await titles('?genre=science&genre=fiction')).to.deep.equal(['SICP', 'Emma']);
      expect(await titles('?publishedIn=1900&publishedIn=1901')).to.deep.equal(['Emma']);
      expect(await titles('?available=true')).to.deep.equal(['SICP']);
      expect(await titles('?available=false')).to.deep.equal(['Emma']);
    });
  });

  describe('an operation without security', () => {
    it('needs no API key, and is counted against the client address', async () => {
      const response = await request(library.server).get('/api/v2/books').expect(200, []);
      expect(response.headers).to.include({ 'x-ratelimit-limit': '5', 'x-ratelimit-remaining': '4' });
      await request(library.server).get('/api/v2/books').set('Authorization', 'Bearer lib_wrong').expect(200, []);
      for (let count = 3; count <= 5; count += 1) await request(library.server).get('/api/v2/books').expect(200);
      const rejected = await request(library.server).get('/api/v2/books').expect(429);
      expect(rejected.headers).to.include({ 'retry-after': '60', 'x-ratelimit-remaining': '0' });
      await send('get', '/books').expect(200);
    });

    it('or with optional security accepts requests with and without an API key', async () => {
      const path = '/rooms/1/north/loans/2f1b3c9e-8f0a-4b6e-9d3c-1a2b3c4d5e6f';
      expect((await send('get', path).expect(200)).headers).to.include({ 'x-ratelimit-limit': '1000' });
      expect((await request(library.server).get(`/api/v2${path}`).expect(200)).headers).to.include({
        'x-ratelimit-limit': '5',
      });
    });

    it('counts a request with an API key against its quota', async () => {
      const { headers } = await send('get', '/books').expect(200);
      expect(headers).to.include({ 'x-ratelimit-limit': '1000', 'x-ratelimit-remaining': '999' });
    });
  });

  describe('errors', () => {
    it('400 names each invalid parameter and field', async () => {
      const query = '?genre=poetry&publishedIn=19&publishedIn=x&order=year&available=1&page=2';
      expectError(
        await send('get', `/books${query}`),
        400,
        'invalid_request',
        'Unknown query parameter `page`; allowed: `genre`, `publishedIn`, `order`, `available`. ' +
          '`genre.0` must be one of: fiction, history, science. ' +
          '`publishedIn.0` must be an integer from 1450 to 2100. ' +
          '`publishedIn.1` must be an integer from 1450 to 2100. ' +
          '`order` must be one of: isbn, title. `available` must be true or false.',
      );
      expectError(
        await send('post', '/books').send({ isbn: '1', title: '', pages: 2 }),
        400,
        'invalid_request',
        'Missing body field `genre`. ' +
          'Unknown body field `pages`; allowed: `isbn`, `title`, `genre`, `year`, `shelf`. ' +
          '`isbn` must have the 13 digits of an ISBN. ' +
          '`title` must have at least 1 character.',
      );
      const malformed = await send('post', '/books').type('json').send('{');
      expect(malformed.body).to.include({ code: 'malformed_json', status: 400 });
      const required = await send('put', `/books/${sicp.isbn}`);
      expectError(required, 400, 'invalid_request', 'The body is required.');
    });

    it('401 has the realm of the contract', async () => {
      const response = await request(library.server).delete(`/api/v2/books/${sicp.isbn}`);
      const message = 'Send your API key: Authorization: Bearer <API_KEY>.';
      expectError(response, 401, 'missing_api_key', message);
      expect(response.headers['www-authenticate']).to.equal('Bearer realm="library"');
      const foreign = `Bearer ${authorization.slice('Bearer '.length).replace('lib_', 'pets_live_')}`;
      const invalid = await send('get', `/books/${sicp.isbn}`).set('Authorization', foreign);
      expect(invalid.body).to.include({ code: 'invalid_api_key', status: 401 });
      expect(invalid.headers['www-authenticate']).to.equal('Bearer realm="library", error="invalid_token"');
    });

    it('404, 405, 409, 410, 413, 415 and 501 follow from the contract', async () => {
      const unknown = await send('delete', `/books/${unknownIsbn}`);
      expectError(unknown, 404, 'book_not_found', `There is no book with the ISBN ${unknownIsbn}.`);
      await send('get', '/No_Such_Path').expect(404);
      await request(library.server).get('/v1/pets').expect(404);

      const wrongMethod = await send('post', `/books/${sicp.isbn}`).expect(405);
      const allow = 'DELETE, GET, HEAD, OPTIONS, PATCH, PUT';
      expect(wrongMethod.headers).to.include({ allow });
      expect((await send('options', `/books/${sicp.isbn}`).expect(204)).headers).to.include({ allow });

      await send('post', '/books').send(sicp).expect(201);
      expect((await send('post', '/books').send(sicp).expect(409)).body).to.include({ code: 'book_exists' });

      const removed = await send('get', `/catalogue-cards/${sicp.isbn}`);
      expectError(
        removed,
        410,
        'operation_removed',
        'getCatalogueCard was removed on 2025-01-01. Use searchBooks instead.',
      );
      expect(removed.headers).to.include({ sunset: 'Wed, 01 Jan 2025 00:00:00 GMT' });

      const large = await send('patch', `/books/${sicp.isbn}`).send({ title: 'x'.repeat(1000) });
      expectError(large, 413, 'body_too_large', 'The body exceeds 1000 bytes. Shorten it.');
      const long = await send('patch', `/books/${sicp.isbn}`).send({ notes: Array(10).fill(1) });
      expectError(long, 413, 'body_too_large', 'The body has more than 11 values. Shorten it.');
      const text = await send('put', `/books/${sicp.isbn}`).type('text').send('SICP').expect(415);
      expect(text.headers).to.include({ accept: 'application/json' });
      const reserved = await send('get', '/inventory');
      expectError(reserved, 501, 'not_implemented', 'takeInventory is not implemented. Do not call it yet.');
    });

    it('429 follows from the plan of the key, by the minute and by the day', async () => {
      authorization = `Bearer ${await createKey('reader')}`;
      for (let count = 1; count <= 5; count += 1) await send('get', '/inventory').expect(501);
      expect((await send('get', '/inventory').expect(429)).body).to.include({ code: 'rate_limit_exceeded' });
      library.clock.now += 60_000;
      for (let count = 6; count <= 8; count += 1) await send('get', '/inventory').expect(501);
      expect((await send('get', '/inventory').expect(429)).body).to.include({ code: 'daily_quota_exceeded' });
    });
  });

  it('serves the documents of the contract', async () => {
    const yaml = await request(library.server).get('/openapi.yaml').buffer().expect(200);
    expect(yaml.text).to.equal(await readFile('packages/test-support/src/second-contract/contract.yaml', 'utf8'));
    const json = await request(library.server).get('/openapi.json').expect(200);
    const { info, paths } = json.body as { info: { title: string }; paths: Record<string, Record<string, unknown>> };
    expect(info.title).to.equal('Library');
    expect(Object.keys(paths['/books/{isbn}'] ?? {})).to.include.members(['get', 'put', 'patch', 'delete']);
    const docs = await request(library.server).get('/docs').expect(200);
    expect(docs.text)
      .to.contain('<title>Library')
      .and.not.match(/\bpets?\b/i);
    await request(library.server).get('/readyz').expect(200);
  });
});

describe('the mock of another contract', () => {
  const reported: unknown[] = [];
  let mock: Awaited<ReturnType<typeof createLibraryMock>>;
  before(async () => {
    mock = await createLibraryMock((error) => reported.push(error));
    await mock.listen();
  });
  after(() => mock.close());

  const send = (method: 'get' | 'delete', path: string) =>
    request(mock.server)[method](`/api/v2${path}`).set('Authorization', 'Bearer anything').set('Connection', 'close');

  it('returns the examples of the contract, and validates requests', async () => {
    await send('get', `/books/${sicp.isbn}`).expect(200, { ...sicp, shelf: 2 ** 63 });
    await send('get', '/books').set('Authorization', '').expect(200);
    await send('get', `/books/${sicp.isbn}`).set('Prefer', 'example=unknownBook').expect(404);
    await send('delete', `/books/${sicp.isbn}`).expect(204, '');
    await send('delete', '/books/1').expect(400);
    await send('get', `/books/${sicp.isbn}`).set('Authorization', '').expect(401);
    expect(reported).to.deep.equal([]);
  });
});
