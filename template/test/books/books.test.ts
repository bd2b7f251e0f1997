import { expect } from 'chai';
import request from 'supertest';
import { createPetstoreClient } from '#src/client/petstore-client.js';
import { useNewService } from '../support/servers/service.js';

const emma = { title: 'Emma', author: 'Jane Austen' };

describe('books', () => {
  const service = useNewService();
  const send = (method: 'get' | 'post', path = '/v1/books') =>
    request(service.server)[method](path).set('Authorization', `Bearer ${service.token}`);

  it('createBook returns 201 with the book and its id', async () => {
    await send('post')
      .send(emma)
      .expect(201, { id: 1, ...emma });
    await send('get').expect(200, [{ id: 1, ...emma }]);
  });

  it('createBook returns 400 that names each invalid field', async () => {
    const response = await send('post').send({ title: '', isbn: 1 }).expect(400);
    expect(response.body).to.include({ code: 'invalid_request', status: 400 });
    for (const field of ['title', 'author', 'isbn'])
      expect((response.body as { message: string }).message).to.include(`\`${field}\``);
  });

  it('listBooks links each page to the next one', async () => {
    for (let count = 1; count <= 3; count += 1) await send('post').send(emma).expect(201);
    const page = await send('get', '/v1/books?limit=2').expect(200, [
      { id: 1, ...emma },
      { id: 2, ...emma },
    ]);
    expect(page.headers['link']).to.equal(`<${service.baseUrl}/books?limit=2&after=2>; rel="next"`);
    const last = await send('get', '/v1/books?limit=2&after=2').expect(200, [{ id: 3, ...emma }]);
    expect(last.headers).not.to.have.property('link');
    await send('get', '/v1/books?limit=101').expect(400);
  });

  it('return 401 without an API key', async () => {
    for (const method of ['get', 'post'] as const) {
      const response = await request(service.server)[method]('/v1/books').expect(401);
      expect(response.body).to.include({ code: 'missing_api_key' });
    }
  });

  it('are created and listed by the client', async () => {
    const client = createPetstoreClient({ baseUrl: service.baseUrl, apiKey: service.token });
    expect(await client.createBook(emma)).to.deep.equal({ id: 1, ...emma });
    expect(await client.listBooks({ limit: 1 })).to.deep.equal([{ id: 1, ...emma }]);
  });
});
