import { sendRaw } from '@contract-server/test-support/clients/raw-connection.js';
import { message } from '@contract-server/test-support/clients/raw-requests.js';
import { apiError, responseOf } from '@contract-server/test-support/contract/response.js';
import { request, startToys, useNewToys } from '@contract-server/test-support/servers/toys.js';
import { expect } from 'chai';
import { createToken } from '#src/api-keys/token.js';

const missing = apiError(401, 'missing_api_key', 'Send your API key: Authorization: Bearer <API_KEY>.', {
  'www-authenticate': 'Bearer realm="toys"',
});
const invalid = apiError(
  401,
  'invalid_api_key',
  'The API key is invalid. Check that it is complete and belongs to this environment, or request a new one from the ' +
    'operator.',
  { 'www-authenticate': 'Bearer realm="toys", error="invalid_token"' },
);

describe('authentication', () => {
  const service = useNewToys();

  const list = async (authorization: string) =>
    responseOf(await request(service, null).get('/v1/toys').set('Authorization', authorization));
  const expectAccepted = async (token: string) => expect((await list(`Bearer ${token}`)).status).to.equal(200);
  const expectInvalid = async (token: string) => expect(await list(`Bearer ${token}`)).to.deep.equal(invalid);

  it('returns 401 for a key with another scheme', async () => {
    const { token } = service;
    for (const authorization of ['Basic cmV4OnNlY3JldA==', 'Bearer', 'Bearerx', `Token ${token}`, token])
      expect(await list(authorization)).to.deep.equal(missing);
  });

  it('accepts the scheme and the header name in any case, and several spaces after the scheme', async () => {
    for (const start of ['authorization: bearer ', 'AUTHORIZATION: BEARER ', 'Authorization:Bearer   ']) {
      const lines = ['GET /v1/toys HTTP/1.1', 'Host: x', `${start}${service.token} `];
      expect((await sendRaw(service, message(lines))).status, start).to.equal(200);
    }
  });

  it('returns 401 for a malformed key and for one that was never issued, without a part of it', async () => {
    const { token } = service;
    const wrongChecksum = `${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`;
    const altered = [wrongChecksum, token.toUpperCase(), `${token}0`, token.slice(0, -1), `"${token}"`];
    for (const text of ['x', ...altered, `${token} ${token}`, createToken('toys_live_'), createToken('toys_test_')])
      await expectInvalid(text);
    const { headers, text } = await request(service, wrongChecksum).get(`/v1/toys?${token}=1`).expect(401);
    expect(`${JSON.stringify(headers)}${text}`).not.to.include(token.slice(10, 20));
  });

  it('returns 401 for a key of the other environment, even if both share a database', async () => {
    const { token, directory } = service;
    await service.close();
    Object.assign(service, await startToys({ DATA_DIR: directory, TOYS_ENVIRONMENT: 'staging' }));
    expect(service.token).to.match(/^toys_test_/);
    await expectInvalid(token);
    await expectAccepted(service.token);
  });
});
