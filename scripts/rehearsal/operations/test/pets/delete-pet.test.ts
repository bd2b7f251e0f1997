import { expect } from 'chai';
import { request } from '../support/clients/request.js';
import { responseOf } from '../support/contract/response.js';
import { startService, type TestService } from '../support/servers/service.js';

describe('deletePet', () => {
  let service: TestService;
  beforeEach(async () => {
    service = await startService();
    await request(service).post('/v1/pets').send({ name: 'Rex', categoryId: 7 }).expect(201);
  });
  afterEach(() => service.close());

  it('returns 204 without a body, and deletes the pet', async () => {
    expect(responseOf(await request(service).delete('/v1/pets/1'))).to.deep.equal({ status: 204, headers: {} });
    await request(service).get('/v1/pets').expect(200, []);
  });

  it('returns 404 if there is no such pet', async () => {
    await request(service).delete('/v1/pets/1').expect(204);
    const response = await request(service).delete('/v1/pets/1').expect(404);
    expect(response.body).to.include({ code: 'pet_not_found' });
  });

  it('returns 401 without an API key, and deletes nothing', async () => {
    await request(service, null).delete('/v1/pets/1').expect(401);
    await request(service)
      .get('/v1/pets')
      .expect((response) => expect(response.body).to.have.lengthOf(1));
  });
});
