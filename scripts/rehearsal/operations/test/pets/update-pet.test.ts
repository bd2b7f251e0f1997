import { expect } from 'chai';
import { request } from '../support/clients/request.js';
import { responseOf, success } from '../support/contract/response.js';
import { startService, type TestService } from '../support/servers/service.js';

describe('updatePet', () => {
  let service: TestService;
  beforeEach(async () => {
    service = await startService();
    await request(service).post('/v1/pets').send({ name: 'Rex', categoryId: 7 }).expect(201);
  });
  afterEach(() => service.close());

  const patch = async (body: string, id = 1) =>
    responseOf(
      await request(service)
        .patch(`/v1/pets/${String(id)}`)
        .type('json')
        .send(body),
    );

  it('returns 200 with the pet, and changes only the fields of the body', async () => {
    const sold = { id: 1, name: 'Rex', categoryId: 7, status: 'sold' };
    expect(await patch('{"status":"sold"}')).to.deep.equal(success(200, sold));
    expect(await patch('{"name":"Max","categoryId":8}')).to.deep.equal(
      success(200, { ...sold, name: 'Max', categoryId: 8 }),
    );
    await request(service)
      .get('/v1/pets?status=sold')
      .expect(200, [{ ...sold, name: 'Max', categoryId: 8 }]);
  });

  it('returns 400 for a body without fields, with an unknown field or with an invalid value', async () => {
    const messageOf = async (body: string) => {
      const response = await patch(body);
      expect(response).to.deep.include({ status: 400 }).and.nested.include({ 'body.code': 'invalid_request' });
      return (response.body as { message: string }).message;
    };
    expect(await messageOf('{}')).to.equal('The body must have at least one field.');
    expect(await messageOf('{"id":2}')).to.match(/^Body field id is unknown/);
    expect(await messageOf('{"status":"lost"}')).to.match(/^Body field status must be one of/);
  });

  it('returns 404 if there is no such pet', async () => {
    const response = await patch('{"status":"sold"}', 2);
    expect(response).to.deep.include({ status: 404 }).and.nested.include({ 'body.code': 'pet_not_found' });
  });
});
