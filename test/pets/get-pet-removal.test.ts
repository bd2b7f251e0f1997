import { expect } from 'chai';
import { request } from '../support/clients/request.js';
import { announcement } from '../support/contract/announcement.js';
import { apiError, responseOf, success } from '../support/contract/response.js';
import { startService, type TestService } from '../support/servers/service.js';

const removal = Date.parse('2030-12-05T00:00:00.000Z');
const rex = { id: 1, name: 'Rex', categoryId: 7, status: 'available' };

describe('the removal of getPet', () => {
  let service: TestService;
  beforeEach(async () => {
    service = await startService();
    await request(service).post('/v1/pets').send({ name: 'Rex', categoryId: 7 }).expect(201);
  });

  const removed = () =>
    apiError(
      410,
      'operation_removed',
      'getPet was removed on 2030-12-05. Use listPets instead.',
      announcement(service),
    );

  it('has not taken effect one millisecond before 5 December 2030', async () => {
    service.clock.now = removal - 1;
    expect(responseOf(await request(service).get('/v1/pets/1'))).to.deep.equal(
      success(200, rex, announcement(service)),
    );
  });

  it('takes effect at midnight UTC: returns 410 for every id, well-formed or not', async () => {
    service.clock.now = removal;
    for (const target of ['/v1/pets/1', '/v1/pets/2', '/v1/pets/abc', '/v1/pets/%', '/v1/pets/1?page=1']) {
      expect(responseOf(await request(service).get(target))).to.deep.equal(removed());
    }
    expect((await request(service).head('/v1/pets/1')).status).to.equal(410);
  });

  it('still requires a key, and is permanent', async () => {
    service.clock.now = removal + 365 * 24 * 60 * 60 * 1000;
    expect((await request(service, null).get('/v1/pets/1')).status).to.equal(401);
    expect(responseOf(await request(service).get('/v1/pets/1'))).to.deep.equal(removed());
  });

  it('removes only the Location header of a 201', async () => {
    service.clock.now = removal - 1;
    const before = await request(service).post('/v1/pets').send({ name: 'Mia', categoryId: 7 }).expect(201);
    expect(before.headers).to.include({ location: `${service.baseUrl}/pets/2` });
    service.clock.now = removal;
    expect(responseOf(await request(service).post('/v1/pets').send({ name: 'Tom', categoryId: 7 }))).to.deep.equal(
      success(201, { id: 3, name: 'Tom', categoryId: 7, status: 'available' }),
    );
  });

  it('does not change the list, the 405 response or the path', async () => {
    service.clock.now = removal;
    await request(service).get('/v1/pets').expect(200, [rex]);
    await request(service).propfind('/v1/pets/1').expect(405);
    await request(service).options('/v1/pets/1').expect(204);
  });
});
