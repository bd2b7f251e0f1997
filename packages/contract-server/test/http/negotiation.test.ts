import type { Server } from 'node:http';
import { serveContract } from '@contract-server/test-support/servers/served-contract.js';
import { expect } from 'chai';
import supertest from 'supertest';

const contract = `
openapi: 3.0.4
info: { title: Books, version: 1.0.0 }
paths:
  /books: { get: { operationId: listBooks, responses: { "200": { $ref: "#/components/responses/Books" } } } }
  /strict:
    get:
      operationId: findBooks
      responses:
        "200": { $ref: "#/components/responses/Books" }
        "406": { description: Not acceptable, content: { application/json: {} } }
  /covers:
    get:
      operationId: getCover
      responses:
        "200": { description: A cover, content: { image/*: {} } }
        "406": { description: Not acceptable, content: { application/json: {} } }
components:
  responses:
    Books: { description: Books, content: { application/json: {}, text/csv: {}, application/xml: {} } }
`;

interface Context {
  readonly accepts: (...types: readonly string[]) => string | undefined;
}
const books = (_request: unknown, { accepts }: Context) => {
  const mediaType = accepts('application/json', 'text/csv');
  return { status: 200, mediaType, body: mediaType === 'text/csv' ? 'isbn' : { isbn: 1 } };
};

describe('the choice of a media type', () => {
  let server: Server;
  before(async () => {
    const handlers = {
      listBooks: books,
      findBooks: books,
      getCover: (_request: unknown, { accepts }: Context) => {
        const mediaType = accepts('image/webp', 'image/png');
        return { status: 200, mediaType, body: String(mediaType), headers: { Vary: 'Origin' } };
      },
    };
    ({ server } = await serveContract(contract, { handlers }));
  });
  const get = (path: string, accept: string) => supertest(server).get(path).set('Accept', accept);

  it('ignores an Accept that is too long to be compared', async () => {
    await get('/strict', `text/csv${', image/png'.repeat(100)}`)
      .expect(200)
      .expect('Content-Type', 'application/json');
  });

  const cases = [
    ['text/csv', 'text/csv; charset=utf-8'],
    ['text/*', 'text/csv; charset=utf-8'],
    ['TEXT/CSV', 'text/csv; charset=utf-8'],
    ['text/csv; charset=utf-8', 'text/csv; charset=utf-8'],
    ['application/json;q=0.5, text/csv', 'text/csv; charset=utf-8'],
    ['text/csv, application/json', 'text/csv; charset=utf-8'],
    ['text/csv;q=0, */*', 'application/json'],
    ['application/json; charset=utf-8', 'application/json'],
    ['*/*', 'application/json'],
    ['', 'application/json'],
    // Is not one of those to choose from, so the first one is sent.
    ['application/xml', 'application/json'],
    ['invalid', 'application/json'],
  ] as const;
  for (const [accept, type] of cases)
    it(`is ${type} for Accept: ${accept}`, async () => {
      const { headers } = await get('/books', accept).expect(200);
      expect(headers).to.include({ 'content-type': type, vary: 'Accept' });
    });

  it('is the first media type without Accept', async () => {
    const { headers } = await supertest(server).get('/books').unset('Accept').expect(200);
    expect(headers).to.include({ 'content-type': 'application/json', vary: 'Accept' });
  });

  it('is a 406 where the contract declares it, whether or not the handler asks', async () => {
    for (const accept of ['image/png', 'application/xml', 'application/json;q=0, text/html']) {
      const response = await get('/strict', accept).expect(406);
      expect(response.body).to.include({ code: 'not_acceptable', status: 406 });
      expect(response.headers).to.include({ vary: 'Accept' });
    }
    const response = await get('/strict', 'image/png').expect(406);
    expect(response.body).to.include({
      message: 'Accept one of these media types: application/json, text/csv, application/xml.',
    });
    await get('/strict', 'text/*').expect(200);
  });

  it('is one of a range that the handler offers, and joins another Vary', async () => {
    const { headers } = await get('/covers', 'image/png').expect(200);
    expect(headers).to.include({ 'content-type': 'image/png', vary: 'Accept, Origin' });
    await get('/covers', 'text/html').expect(406);
  });
});
