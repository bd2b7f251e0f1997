import { expect } from 'chai';
import { request } from '../support/request.js';
import { startService, type TestService } from '../support/service.js';

describe('getPet', () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.close());

  it('answers 200 with the animal, and announces its own removal', async () => {
    await request(service).post('/v1/pets').send({ name: 'Rex', categoryId: 7 }).expect(201);
    const response = await request(service)
      .get('/v1/pets/1')
      .expect(200, { id: 1, name: 'Rex', categoryId: 7, status: 'available' });
    expect(response.headers).to.include({
      deprecation: '@1795132800',
      sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
      link: `<${service.baseUrl}/pets>; rel="successor-version", <${new URL('/openapi.yaml', service.baseUrl).href}>; rel="deprecation"; type="application/yaml"`,
    });
  });

  it('answers 401 without a key, and does not say whether the animal exists', async () => {
    const response = await request(service, null).get('/v1/pets/1').expect(401);
    expect(response.body).to.deep.equal({
      code: 'missing_api_key',
      message: 'Send your API key: Authorization: Bearer <API_KEY>.',
      status: 401,
    });
    expect(response.headers).to.include({ 'www-authenticate': 'Bearer realm="petstore"' });
  });
});
