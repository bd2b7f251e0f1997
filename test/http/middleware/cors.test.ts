import { expect } from 'chai';
import { request } from '../../support/clients/request.js';
import { allowedMethods, operations, unknownPath } from '../../support/contract/contract-requests.js';
import { apiError, responseOf } from '../../support/contract/response.js';
import { startService, useService } from '../../support/servers/service.js';

const shop = 'https://shop.example';

describe('CORS', () => {
  const service = useService({ CORS_ORIGINS: `${shop}, http://localhost:3000` });

  const preflight = (origin: string, path = '/v1/pets') =>
    request(service, null).options(path).set({
      Origin: origin,
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'authorization',
    });

  it('responds to a preflight request without a key, and does not count it', async () => {
    const first = await preflight(shop);
    expect(first.status).to.equal(204);
    expect(first.headers).to.include({
      'access-control-allow-origin': shop,
      'access-control-allow-headers': 'authorization',
      'access-control-max-age': '600',
      vary: 'Origin, Access-Control-Request-Headers',
    });
    const methods = new Set([...operations.map(({ method }) => method.toUpperCase()), 'HEAD']);
    expect(first.headers['access-control-allow-methods']?.split(',')).to.have.members([...methods]);
    expect((await preflight(shop)).headers).to.include({ 'x-ratelimit-remaining': '60' });
  });

  it('lets a listed origin read every response, including errors, with every declared header', async () => {
    for (const path of ['/v1/pets', '/v1/pets/1', unknownPath, '/healthz', '/']) {
      const { headers } = await request(service).get(path).set('Origin', shop);
      expect(headers, path).to.include({ 'access-control-allow-origin': shop, vary: 'Origin' });
      expect(headers['access-control-expose-headers']?.split(',')).to.include.members([
        ...['Deprecation', 'Link', 'Location', 'RateLimit', 'Retry-After', 'Sunset', 'WWW-Authenticate'],
        ...['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'X-Request-Id'],
      ]);
    }
  });

  it('sends other origins the same responses without the permission to read them', async () => {
    for (const origin of ['https://evil.example', 'null', `${shop}.evil.example`, 'http://shop.example']) {
      const rejected = (await preflight(origin)).headers;
      expect(rejected, origin).to.not.have.property('access-control-allow-origin');
      expect(Number(rejected['x-ratelimit-remaining']), 'counted like any other OPTIONS').to.be.below(60);
      const { status, headers } = await request(service).get('/v1/pets').set('Origin', origin);
      expect(status).to.equal(200);
      expect(headers, origin).to.include({ vary: 'Origin' }).and.not.have.property('access-control-allow-origin');
    }
  });

  it('returns 404 to a preflight request for an unknown path', async () => {
    expect((await preflight(shop, unknownPath)).status).to.equal(404);
  });

  it('responds to OPTIONS without CORS headers, and counts it', async () => {
    const { status, headers } = await request(service, null)
      .options('/v1/pets')
      .expect('Allow', allowedMethods('/pets'));
    expect(status).to.equal(204);
    expect(Number(headers['x-ratelimit-remaining'])).to.be.below(60);
  });

  it('is disabled unless origins are configured', async () => {
    const plain = await startService();
    const sent = { Origin: shop, 'Access-Control-Request-Method': 'POST' };
    const response = await request(plain).get(unknownPath).set(sent);
    expect(responseOf(response)).to.deep.equal(
      apiError(404, 'route_not_found', `No route matches GET ${unknownPath}. See /docs for the available paths.`),
    );
    expect((await request(plain, null).options('/v1/pets').set(sent)).headers).to.include({
      'x-ratelimit-remaining': '59',
    });
    await plain.close();
  });
});
