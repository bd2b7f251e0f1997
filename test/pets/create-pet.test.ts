import { expect } from 'chai';
import { request } from '../support/clients/request.js';
import { responseOf, success } from '../support/contract/response.js';
import { useNewService } from '../support/servers/service.js';

describe('createPet', () => {
  const service = useNewService();

  const post = (text: string) => request(service).post('/v1/pets').type('json').send(text);

  it('returns 201 with the pet, its id and its Location', async () => {
    const response = await post('{"name":"Rex","categoryId":7,"status":"pending"}');
    expect(responseOf(response)).to.deep.equal(
      success(201, { id: 1, name: 'Rex', categoryId: 7, status: 'pending' }, { location: `${service.baseUrl}/pets/1` }),
    );
  });

  it('defaults to the status available', async () => {
    const response = await post('{"name":"Rex","categoryId":7}');
    expect(response.body).to.deep.equal({ id: 1, name: 'Rex', categoryId: 7, status: 'available' });
  });

  for (const status of ['available', 'pending', 'sold']) {
    it(`accepts the status ${status}`, async () => {
      const pet = { id: 1, name: 'Rex', categoryId: 7, status };
      const created = await post(JSON.stringify({ name: 'Rex', categoryId: 7, status })).expect(201);
      expect(created.body).to.deep.equal(pet);
      await request(service).get(`/v1/pets?status=${status}`).expect(200, [pet]);
    });
  }

  it('returns a Location that leads to the same pet, byte for byte', async () => {
    const created = await post(
      '{"name":"Zo\u00eb \\ud83d\\udc15 \\" \\\\ \u2028","categoryId":-9223372036854775808}',
    ).expect(201);
    const path = new URL(created.get('location') ?? '').pathname;
    const read = await request(service).get(path).expect(200);
    expect(read.text).to.equal(created.text);
    await request(service)
      .get('/v1/pets')
      .expect((response) => expect(response.text).to.equal(`[${created.text}]`));
  });

  it('assigns increasing ids, and lists the pet once it has responded', async () => {
    for (let id = 1; id <= 3; id += 1) {
      const created = await post('{"name":"Rex","categoryId":7}').expect(201);
      expect(created.body).to.include({ id });
      const listed = await request(service).get('/v1/pets').expect(200);
      expect((listed.body as { id: number }[]).map((pet) => pet.id)).to.deep.equal(
        Array.from({ length: id }, (_, i) => i + 1),
      );
    }
  });

  it('assigns a unique id to each of many concurrent creations', async () => {
    const names = Array.from({ length: 50 }, (_, index) => `Rex ${String(index)}`);
    const responses = await Promise.all(names.map((name) => post(JSON.stringify({ name, categoryId: 7 })).expect(201)));
    const created = responses.map(({ body }) => body as { id: number; name: string });
    expect(created.map(({ id }) => id).sort((a, b) => a - b)).to.deep.equal(names.map((_, index) => index + 1));
    expect(created.map(({ name }) => name)).to.deep.equal(names);
  });

  it('accepts fields in any order, with white space around them', async () => {
    const response = await post(' {\r\n\t"status" : "sold" , "categoryId":0,"name":"Rex" } \n').expect(201);
    expect(response.body).to.deep.equal({ id: 1, name: 'Rex', categoryId: 0, status: 'sold' });
  });

  it('accepts field names and statuses with escapes', async () => {
    const response = await post('{"n\\u0061me":"Rex","categoryId":7,"status":"\\u0073old"}').expect(201);
    expect(response.body).to.deep.equal({ id: 1, name: 'Rex', categoryId: 7, status: 'sold' });
  });

  for (const status of ['"gone"', '"Sold"', '""', 'null', '5', 'true', '["sold"]', '{"a":"sold"}']) {
    it(`rejects the status ${status}`, async () => {
      const response = await post(`{"name":"Rex","categoryId":7,"status":${status}}`).expect(400);
      expect(response.body).to.deep.equal({
        code: 'invalid_request',
        message: '`status` must be one of: available, pending, sold.',
        status: 400,
      });
    });
  }

  it('stores nothing for a rejected request', async () => {
    await post('{"name":"","categoryId":7}').expect(400);
    await request(service, null).post('/v1/pets').send({ name: 'Rex', categoryId: 7 }).expect(401);
    await request(service).get('/v1/pets').expect(200, []);
    await post('{"name":"Rex","categoryId":7}').expect(201, { id: 1, name: 'Rex', categoryId: 7, status: 'available' });
  });
});
