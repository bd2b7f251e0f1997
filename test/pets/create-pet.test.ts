import { expect } from 'chai';
import { answerOf, success } from '../support/answer.js';
import { request } from '../support/request.js';
import { startService, type TestService } from '../support/service.js';

describe('createPet', () => {
  let service: TestService;
  beforeEach(async () => {
    service = await startService();
  });
  afterEach(() => service.close());

  const post = (text: string) => request(service).post('/v1/pets').type('json').send(text);

  it('answers 201 with the animal, its id and its address', async () => {
    const response = await post('{"name":"Rex","categoryId":7,"status":"pending"}');
    expect(answerOf(response)).to.deep.equal(
      success(201, { id: 1, name: 'Rex', categoryId: 7, status: 'pending' }, { location: `${service.baseUrl}/pets/1` }),
    );
  });

  it('makes an animal available whose state is not given', async () => {
    const response = await post('{"name":"Rex","categoryId":7}');
    expect(response.body).to.deep.equal({ id: 1, name: 'Rex', categoryId: 7, status: 'available' });
  });

  for (const status of ['available', 'pending', 'sold']) {
    it(`takes the state ${status}`, async () => {
      const pet = { id: 1, name: 'Rex', categoryId: 7, status };
      const created = await post(JSON.stringify({ name: 'Rex', categoryId: 7, status })).expect(201);
      expect(created.body).to.deep.equal(pet);
      await request(service).get(`/v1/pets?status=${status}`).expect(200, [pet]);
    });
  }

  it('answers with an address that leads to the same animal, byte for byte', async () => {
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

  it('counts the ids up, and has the animal in the list once it has answered', async () => {
    for (let id = 1; id <= 3; id += 1) {
      const created = await post('{"name":"Rex","categoryId":7}').expect(201);
      expect(created.body).to.include({ id });
      const listed = await request(service).get('/v1/pets').expect(200);
      expect((listed.body as { id: number }[]).map((pet) => pet.id)).to.deep.equal(
        Array.from({ length: id }, (_, i) => i + 1),
      );
    }
  });

  it('gives every one of many simultaneous creations an id of its own', async () => {
    const names = Array.from({ length: 50 }, (_, index) => `Rex ${String(index)}`);
    const responses = await Promise.all(names.map((name) => post(JSON.stringify({ name, categoryId: 7 })).expect(201)));
    const created = responses.map(({ body }) => body as { id: number; name: string });
    expect(created.map(({ id }) => id).sort((a, b) => a - b)).to.deep.equal(names.map((_, index) => index + 1));
    expect(created.map(({ name }) => name)).to.deep.equal(names);
  });

  it('takes the fields in any order, and blanks around them', async () => {
    const response = await post(' {\r\n\t"status" : "sold" , "categoryId":0,"name":"Rex" } \n').expect(201);
    expect(response.body).to.deep.equal({ id: 1, name: 'Rex', categoryId: 0, status: 'sold' });
  });

  it('takes field names and states that are written with escapes', async () => {
    const response = await post('{"n\\u0061me":"Rex","categoryId":7,"status":"\\u0073old"}').expect(201);
    expect(response.body).to.deep.equal({ id: 1, name: 'Rex', categoryId: 7, status: 'sold' });
  });

  for (const status of ['"gone"', '"Sold"', '""', 'null', '5', 'true', '["sold"]', '{"a":"sold"}']) {
    it(`refuses the state ${status}`, async () => {
      const response = await post(`{"name":"Rex","categoryId":7,"status":${status}}`).expect(400);
      expect(response.body).to.deep.equal({
        code: 'invalid_request',
        message: 'Body field status must be one of: available, pending, sold.',
        status: 400,
      });
    });
  }

  it('writes nothing down for a request that it refuses', async () => {
    await post('{"name":"","categoryId":7}').expect(400);
    await request(service, null).post('/v1/pets').send({ name: 'Rex', categoryId: 7 }).expect(401);
    await request(service).get('/v1/pets').expect(200, []);
    await post('{"name":"Rex","categoryId":7}').expect(201, { id: 1, name: 'Rex', categoryId: 7, status: 'available' });
  });
});
