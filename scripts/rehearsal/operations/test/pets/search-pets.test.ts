import { expect } from 'chai';
import { request } from '../support/clients/request.js';
import { apiError, responseOf, success } from '../support/contract/response.js';
import { startService, type TestService } from '../support/servers/service.js';

describe('searchPets', () => {
  let service: TestService;
  before(async () => {
    service = await startService();
    for (const name of ['Rex', 'Mia', 'Rex']) {
      await request(service).post('/v1/pets').send({ name, categoryId: 7 }).expect(201);
    }
  });
  after(() => service.close());

  const search = async (query: string) => responseOf(await request(service).get(`/v1/search/pets?${query}`));
  const pet = (id: number, name: string) => ({ id, name, categoryId: 7, status: 'available' });

  it('returns 200 with the pets that have one of the names, in ascending order of id', async () => {
    expect(await search('name=Rex&name=Mia')).to.deep.equal(
      success(200, [pet(1, 'Rex'), pet(2, 'Mia'), pet(3, 'Rex')]),
    );
    expect(await search('name=Mia')).to.deep.equal(success(200, [pet(2, 'Mia')]));
    expect(await search('name=rex')).to.deep.equal(success(200, []));
  });

  it('returns 400 without a name and for too many', async () => {
    expect(await search('')).to.deep.equal(apiError(400, 'invalid_request', 'Query parameter name is required.'));
    expect(await search('name=Rex&'.repeat(11))).to.deep.equal(
      apiError(400, 'invalid_request', 'Query parameter name must have at most 10 names.'),
    );
  });
});
