import { apiError, responseOf } from '@contract-server/test-support/contract/response.js';
import { expect } from 'chai';
import { request } from '../support/clients/request.js';
import { useService } from '../support/servers/service.js';

describe('listOrders', () => {
  const service = useService();

  for (const [query, status, code, message] of [
    ['', 501, 'not_implemented', 'listOrders is not implemented. Do not call it yet.'],
    ['?page=2', 400, 'invalid_request', 'Unknown query parameter `page`; this operation takes none.'],
    ['?%', 400, 'malformed_url', 'The URL has an invalid percent-encoding. Encode a percent sign as %25.'],
  ] as const)
    it(`returns ${String(status)} ${code}, which is no internal error, for the query "${query}"`, async () => {
      const response = await request(service).get(`/v1/store/orders${query}`);
      expect(responseOf(response)).to.deep.equal(apiError(status, code, message));
      expect((await request(service).head(`/v1/store/orders${query}`)).status).to.equal(status);
      expect(service.reported).to.deep.equal([]);
    });

  it('returns 401 without a key, before any other check', async () => {
    const message = 'Send your API key: Authorization: Bearer <API_KEY>.';
    expect(responseOf(await request(service, null).get('/v1/store/orders?page=2'))).to.deep.equal(
      apiError(401, 'missing_api_key', message, { 'www-authenticate': 'Bearer realm="petstore"' }),
    );
  });
});
