import { expect } from 'chai';
import { request } from '../support/clients/request.js';
import { announcement } from '../support/contract/announcement.js';
import { apiError, responseOf, success } from '../support/contract/response.js';
import { startService, type TestService } from '../support/servers/service.js';

const rex = { id: 1, name: 'Rex', categoryId: 7, status: 'available' };

describe('getPet', () => {
  let service: TestService;
  before(async () => {
    service = await startService();
    await request(service).post('/v1/pets').send({ name: 'Rex', categoryId: 7 }).expect(201);
  });

  const get = async (target: string) => responseOf(await request(service).get(target));
  const rejected = (status: number, code: string, message: string, headers = {}) =>
    apiError(status, code, message, { ...headers, ...announcement(service) });

  it('returns 200 with the pet, and announces the removal of the operation', async () => {
    expect(await get('/v1/pets/1')).to.deep.equal(success(200, rex, announcement(service)));
  });

  it('responds to HEAD like GET, without the body', async () => {
    const response = await request(service).head('/v1/pets/1');
    expect(responseOf(response)).to.deep.equal({
      status: 200,
      headers: { 'content-type': 'application/json', ...announcement(service) },
    });
    expect(response.headers).to.include({ 'content-length': String(JSON.stringify(rex).length) });
    expect((await request(service).head('/v1/pets/2')).status).to.equal(404);
  });

  it('accepts percent-encoded digits', async () => {
    expect(await get('/v1/pets/%31')).to.deep.equal(success(200, rex, announcement(service)));
  });

  for (const id of ['2', '0', '-1', '9007199254740993', '9223372036854775807', '-9223372036854775808']) {
    it(`returns 404 for the unknown id ${id}`, async () => {
      expect(await get(`/v1/pets/${id}`)).to.deep.equal(rejected(404, 'pet_not_found', `No pet has the id ${id}.`));
    });
  }

  it('returns 404 for the id -0, which is 0', async () => {
    expect(await get('/v1/pets/-0')).to.deep.equal(rejected(404, 'pet_not_found', 'No pet has the id 0.'));
  });

  const noIntegers = [
    'abc',
    '1a',
    '0x1',
    '1e0',
    '1.0',
    '01',
    '+1',
    '%201',
    '1%20',
    '1%2F',
    '%00',
    '%D9%A1',
    '1,2',
    '--1',
    '-00',
    '-0.0',
    '1;v=1',
  ];
  for (const id of [...noIntegers, '9223372036854775808', '-9223372036854775809', '1'.repeat(5000)]) {
    it(`returns 400 for the id ${id.slice(0, 24)}`, async () => {
      const message = '`petId` must be an integer from -9223372036854775808 to 9223372036854775807.';
      expect(await get(`/v1/pets/${id}`)).to.deep.equal(rejected(400, 'invalid_request', message));
    });
  }

  for (const target of ['/v1/pets/%', '/v1/pets/%zz', '/v1/pets/%ff', '/v1/pets/1?%=1']) {
    it(`returns 400 for ${target}, which cannot be decoded`, async () => {
      expect(await get(target)).to.deep.equal(
        rejected(400, 'malformed_url', 'The URL has an invalid percent-encoding. Encode a percent sign as %25.'),
      );
    });
  }

  it('returns 400 for a query parameter, and names every error', async () => {
    expect(await get('/v1/pets/1?status=sold')).to.deep.equal(
      rejected(400, 'invalid_request', 'Unknown query parameter `status`; this operation takes none.'),
    );
    expect((await get('/v1/pets/x?a=1&b=2')).body)
      .to.have.property('message')
      .match(
        /^`petId` must .* Unknown query parameter `a`; this operation takes none\. Unknown query parameter `b`; .*none\.$/,
      );
  });

  it('returns 401 without a key, whether or not the pet exists', async () => {
    const expected = rejected(401, 'missing_api_key', 'Send your API key: Authorization: Bearer <API_KEY>.', {
      'www-authenticate': 'Bearer realm="petstore"',
    });
    for (const id of ['1', '2', 'abc', '%']) {
      expect(responseOf(await request(service, null).get(`/v1/pets/${id}`))).to.deep.equal(expected);
    }
  });

  it('does not announce the removal in responses to unknown methods or paths', async () => {
    expect((await request(service).propfind('/v1/pets/1')).headers).not.to.have.any.keys(
      'deprecation',
      'sunset',
      'link',
    );
    expect((await request(service).get('/v1/pets/1/')).headers).not.to.have.any.keys('deprecation', 'sunset', 'link');
  });
});
