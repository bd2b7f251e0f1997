import { expect } from 'chai';
import { sendRaw } from '../support/clients/raw-connection.js';
import { request } from '../support/clients/request.js';
import { unknownPath } from '../support/contract/contract-requests.js';
import { useService } from '../support/servers/service.js';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe('X-Request-Id', () => {
  const service = useService();

  const idFor = async (sent: string): Promise<string> =>
    (await request(service).get('/v1/pets').set('X-Request-Id', sent)).get('x-request-id') ?? '';

  it('is returned as sent', async () => {
    for (const id of ['1', 'a'.repeat(128), 'shop-7:Order_42@eu.1/x+y=~']) expect(await idFor(id)).to.equal(id);
  });

  it('is generated if the client sent none or an invalid one', async () => {
    for (const id of ['', 'a'.repeat(129), 'a b', 'a"b', '{}', 'é', '\u009b31m'])
      expect(await idFor(id), id).to.match(uuid);
    const first = (await request(service).get('/v1/pets')).get('x-request-id');
    expect((await request(service).get('/v1/pets')).get('x-request-id'))
      .to.match(uuid)
      .and.not.equal(first);
  });

  it('is generated if the client sent its API key', async () => {
    expect(await idFor(service.token)).to.match(uuid);
    expect(await idFor(`key=${service.token}`)).to.match(uuid);
  });

  it('is in every response', async () => {
    for (const path of ['/', '/openapi.yaml', '/v1', '/v1/pets/x', '/%ff']) {
      const { headers } = await request(service).get(path).set('X-Request-Id', 'mine');
      expect(headers['x-request-id'], path).to.equal('mine');
    }
    expect((await sendRaw(service, 'nonsense\r\n\r\n')).headers['x-request-id']).to.match(uuid);
  });

  it('is sent with Cache-Control: no-store in every response except documents', async () => {
    for (const path of ['/', '/v1/pets', unknownPath]) {
      expect((await request(service).get(path)).get('cache-control'), path).to.equal('no-store');
    }
    expect((await sendRaw(service, 'nonsense\r\n\r\n')).headers['cache-control']).to.equal('no-store');
  });
});
