import { expect } from 'chai';
import { request } from '../support/clients/request.js';
import { apiError, responseOf } from '../support/contract/response.js';
import { useService } from '../support/servers/service.js';

describe('listOrders', () => {
  const service = useService();

  it('returns 501, because orders are not implemented', async () => {
    expect(responseOf(await request(service).get('/v1/store/orders'))).to.deep.equal(
      apiError(501, 'not_implemented', 'listOrders is not implemented. Do not call it yet.'),
    );
    expect((await request(service).head('/v1/store/orders')).status).to.equal(501);
    expect(service.reported).to.deep.equal([]);
  });

  it('returns 400 for a query parameter', async () => {
    expect(responseOf(await request(service).get('/v1/store/orders?page=2'))).to.deep.equal(
      apiError(400, 'invalid_request', 'Unknown query parameter `page`; this operation takes none.'),
    );
    expect(responseOf(await request(service).get('/v1/store/orders?%'))).to.deep.equal(
      apiError(400, 'malformed_url', 'The URL has an invalid percent-encoding. Encode a percent sign as %25.'),
    );
  });

  it('returns 401 without a key', async () => {
    expect(responseOf(await request(service, null).get('/v1/store/orders?page=2'))).to.deep.equal(
      apiError(401, 'missing_api_key', 'Send your API key: Authorization: Bearer <API_KEY>.', {
        'www-authenticate': 'Bearer realm="petstore"',
      }),
    );
  });
});
