import { expect } from 'chai';
import { sendRaw } from '../support/clients/raw-connection.js';
import { request } from '../support/clients/request.js';
import { unknownPath } from '../support/contract/contract-requests.js';
import { useService } from '../support/servers/service.js';
import { nonsense } from './raw-requests.js';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

// `request` checks that every response has X-Content-Type-Options once.
describe('every response', () => {
  const service = useService();

  const idFor = async (sent: string) =>
    (await request(service).get('/v1/pets').set('X-Request-Id', sent)).get('x-request-id');

  it('has the X-Request-Id that the client sent', async () => {
    for (const id of ['1', 'a'.repeat(128), 'shop-7:Order_42@eu.1/x+y=~']) expect(await idFor(id)).to.equal(id);
    for (const path of ['/', '/openapi.yaml', '/v1', '/v1/pets/x', '/%ff'])
      await request(service).get(path).set('X-Request-Id', 'mine').expect('X-Request-Id', 'mine');
  });

  it('has a new X-Request-Id if the client sent none, an invalid one, or its API key', async () => {
    for (const id of ['', 'a'.repeat(129), 'a b', 'a"b', '{}', 'é', '\u009b31m', service.token, `key=${service.token}`])
      expect(await idFor(id), id).to.match(uuid);
    const [first, second] = [await idFor(''), await idFor('')];
    expect(second).to.not.equal(first);
  });

  it('has Cache-Control: no-store, except documents', async () => {
    for (const path of ['/', '/v1/pets', unknownPath])
      await request(service).get(path).expect('Cache-Control', 'no-store');
  });

  it('has these headers also if the request is malformed', async () => {
    const { headers } = await sendRaw(service, nonsense);
    expect(headers).to.include({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    expect(headers['x-request-id']).to.match(uuid);
  });
});
