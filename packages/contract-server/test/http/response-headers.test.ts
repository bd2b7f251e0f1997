import { sendRaw } from '@contract-server/test-support/clients/raw-connection.js';
import { nonsense, unknownPath } from '@contract-server/test-support/clients/raw-requests.js';
import { contract, request, startToys, useToys } from '@contract-server/test-support/servers/toys.js';
import { expect } from 'chai';

const shop = 'https://shop.example';
const requested = { 'Access-Control-Request-Method': 'POST', 'Access-Control-Request-Headers': 'authorization' };
const allowed = 'access-control-allow-origin';
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

// `request` checks that every response has X-Content-Type-Options once.
describe('every response', () => {
  const service = useToys();

  const idFor = async (sent: string) =>
    (await request(service).get('/v1/toys').set('X-Request-Id', sent)).get('x-request-id');

  it('has the X-Request-Id that the client sent', async () => {
    for (const id of ['1', 'a'.repeat(128), 'shop-7:Order_42@eu.1/x+y=~']) expect(await idFor(id)).to.equal(id);
    for (const path of ['/', '/openapi.yaml', '/v1', '/v1/toys/x', '/%ff'])
      await request(service).get(path).set('X-Request-Id', 'mine').expect('X-Request-Id', 'mine');
  });

  it('has a new X-Request-Id if the client sent none, an invalid one, or its API key', async () => {
    for (const id of ['', 'a'.repeat(129), 'a b', 'a"b', '{}', 'é', '\u009b31m', service.token, `key=${service.token}`])
      expect(await idFor(id), id).to.match(uuid);
    const [first, second] = [await idFor(''), await idFor('')];
    expect(second).to.not.equal(first);
  });

  it('has Cache-Control: no-store, except documents', async () => {
    for (const path of ['/', '/v1/toys', unknownPath])
      await request(service).get(path).expect('Cache-Control', 'no-store');
  });

  it('has these headers also if the request is malformed', async () => {
    const { headers } = await sendRaw(service, nonsense);
    expect(headers).to.include({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    expect(headers['x-request-id']).to.match(uuid);
  });
});

const { operations } = contract;
const declaredHeaders = operations
  .flatMap(({ responses }) => [...responses.declared.values()])
  .flatMap(({ declaration }) => Object.keys(declaration.headers ?? {}));

describe('CORS', () => {
  const service = useToys({ CORS_ORIGINS: `${shop}, http://localhost:3000` });

  const preflight = (origin: string, path = '/v1/toys') =>
    request(service, null)
      .options(path)
      .set({ Origin: origin, ...requested });

  it('responds to a preflight request without a key, and does not count it', async () => {
    const { headers } = await preflight(shop).expect(204);
    const cached = { 'access-control-max-age': '600', vary: 'Origin, Access-Control-Request-Headers' };
    expect(headers).to.include({ [allowed]: shop, 'access-control-allow-headers': 'authorization', ...cached });
    const methods = new Set([...operations.map(({ method }) => method.toUpperCase()), 'HEAD']);
    expect(headers['access-control-allow-methods']?.split(',')).to.have.members([...methods]);
    await preflight(shop).expect('X-RateLimit-Remaining', '60');
    // With a 404, the browser would report an error of CORS.
    await preflight(shop, unknownPath).expect(204);
  });

  it('lets a listed origin read every response, including errors, with every declared header', async () => {
    for (const path of ['/v1/toys', '/v1/toys/1', unknownPath, '/healthz', '/']) {
      const { headers } = await request(service).get(path).set('Origin', shop);
      expect(headers, path).to.include({ [allowed]: shop, vary: 'Origin' });
      expect(headers['access-control-expose-headers']?.split(',')).to.include.members(declaredHeaders);
    }
  });

  it('sends other origins the same responses without the permission to read them', async () => {
    for (const origin of ['https://evil.example', 'null', `${shop}.evil.example`, 'http://shop.example']) {
      const rejected = (await preflight(origin)).headers;
      expect(rejected, origin).to.not.have.property(allowed);
      expect(Number(rejected['x-ratelimit-remaining']), 'counted like any other OPTIONS').to.be.below(60);
      const { headers } = await request(service).get('/v1/toys').set('Origin', origin).expect(200);
      expect(headers, origin).to.include({ vary: 'Origin' }).and.not.have.property(allowed);
    }
    await request(service, null).options('/v1/toys').expect(204).expect('Allow', 'GET, HEAD, OPTIONS, POST');
  });

  it('is disabled unless origins are configured', async () => {
    const plain = await startToys();
    const sent = { Origin: shop, ...requested };
    const { headers } = await request(plain).get(unknownPath).set(sent).expect(404);
    expect(headers).to.not.have.any.keys(allowed, 'vary');
    await request(plain, null).options('/v1/toys').set(sent).expect('X-RateLimit-Remaining', '59');
  });
});
