import { apiError, responseOf, success } from '@contract-server/test-support/contract/response.js';
import { startOfTests } from '@contract-server/test-support/start-of-tests.js';
import { expect } from 'chai';
import { request } from '../support/clients/request.js';
import { announcement } from '../support/contract/announcement.js';
import { postPet, rex } from '../support/pets.js';
import { useService } from '../support/servers/service.js';

const removal = Date.parse('2030-12-05T00:00:00.000Z');
const pet = { id: 1, ...rex };

describe('getPet', () => {
  const service = useService();
  before(() => postPet(service).expect(201));
  beforeEach(() => (service.clock.now = startOfTests));

  const get = async (id: string) => responseOf(await request(service).get(`/v1/pets/${id}`));
  const rejected = (status: number, code: string, message: string, headers = {}) =>
    apiError(status, code, message, { ...headers, ...announcement(service) });

  it('returns 200 with the pet, and announces the removal of the operation', async () => {
    for (const id of ['1', '%31']) expect(await get(id)).to.deep.equal(success(200, pet, announcement(service)));
  });

  it('responds to HEAD like GET, without the body', async () => {
    const response = await request(service).head('/v1/pets/1');
    const headers = { 'content-type': 'application/json', ...announcement(service) };
    expect(responseOf(response)).to.deep.equal({ status: 200, headers });
    expect(response.headers).to.include({ 'content-length': String(JSON.stringify(pet).length) });
    expect((await request(service).head('/v1/pets/2')).status).to.equal(404);
  });

  it('returns 404 for an unknown id, which may be any 64-bit integer', async () => {
    for (const id of ['2', '0', '-1', '9007199254740993', '9223372036854775807', '-9223372036854775808'])
      expect(await get(id)).to.deep.equal(rejected(404, 'pet_not_found', `No pet has the id ${id}.`));
    expect(await get('-0')).to.deep.equal(rejected(404, 'pet_not_found', 'No pet has the id 0.'));
  });

  it('returns 400 for an id that is not a 64-bit integer in plain decimal', async () => {
    const message = '`petId` must be an integer from -9223372036854775808 to 9223372036854775807.';
    const others = 'abc 1a 0x1 1e0 1.0 01 +1 %201 1%20 1%2F %00 %D9%A1 1,2 --1 -00 -0.0 1;v=1'.split(' ');
    for (const id of [...others, '9223372036854775808', '-9223372036854775809', '1'.repeat(5000)])
      expect(await get(id), id).to.deep.equal(rejected(400, 'invalid_request', message));
  });

  it('returns 400 for a URL that cannot be decoded', async () => {
    const message = 'The URL has an invalid percent-encoding. Encode a percent sign as %25.';
    for (const id of ['%', '%zz', '%ff', '1?%=1'])
      expect(await get(id), id).to.deep.equal(rejected(400, 'malformed_url', message));
  });

  it('returns 400 for a query parameter, and names every error', async () => {
    const unknown = (name: string) => `Unknown query parameter \`${name}\`; this operation takes none.`;
    expect(await get('1?status=sold')).to.deep.equal(rejected(400, 'invalid_request', unknown('status')));
    const { message } = (await get('x?a=1&b=2')).body as { message: string };
    expect(message)
      .to.match(/^`petId` must /)
      .and.to.contain(`. ${unknown('a')} ${unknown('b')}`);
  });

  it('returns 401 without a key, whether or not the pet exists, also after the removal', async () => {
    const challenge = { 'www-authenticate': 'Bearer realm="petstore"' };
    const message = 'Send your API key: Authorization: Bearer <API_KEY>.';
    for (const id of ['1', '2', 'abc', '%']) {
      for (const now of [startOfTests, removal]) {
        service.clock.now = now;
        const response = await request(service, null).get(`/v1/pets/${id}`);
        expect(responseOf(response), id).to.deep.equal(rejected(401, 'missing_api_key', message, challenge));
      }
    }
  });

  it('does not announce the removal in responses to unknown methods or paths, or to malformed HTTP', async () => {
    for (const [status, response] of [
      [405, await request(service).propfind('/v1/pets/1')],
      [404, await request(service).get('/v1/pets/1/')],
      [414, await request(service).get(`/v1/pets/${'1'.repeat(8000)}`)],
      [431, await request(service).get('/v1/pets/1').set('X-Long', 'x'.repeat(20_000))],
    ] as const) {
      expect(response.status).to.equal(status);
      expect(response.headers).not.to.have.any.keys('deprecation', 'sunset', 'link');
    }
  });

  it('returns 410 for every id from midnight UTC of 5 December 2030', async () => {
    service.clock.now = removal - 1;
    expect(await get('1')).to.deep.equal(success(200, pet, announcement(service)));
    const removed = rejected(410, 'operation_removed', 'getPet was removed on 2030-12-05. Use listPets instead.');
    for (const now of [removal, removal + 365 * 24 * 60 * 60 * 1000]) {
      service.clock.now = now;
      for (const id of ['1', '2', 'abc', '%', '1?page=1']) expect(await get(id), id).to.deep.equal(removed);
    }
    expect((await request(service).head('/v1/pets/1')).status).to.equal(410);
  });

  it('does not change other operations and methods by its removal, except the Location of a 201', async () => {
    service.clock.now = removal - 1;
    const location = `${service.baseUrl}/pets/2`;
    expect(responseOf(await postPet(service))).to.deep.equal(success(201, { ...pet, id: 2 }, { location }));
    service.clock.now = removal;
    expect(responseOf(await postPet(service))).to.deep.equal(success(201, { ...pet, id: 3 }));
    await request(service).get('/v1/pets?limit=1').expect(200, [pet]);
    await request(service).propfind('/v1/pets/1').expect(405);
    await request(service).options('/v1/pets/1').expect(204);
  });
});
