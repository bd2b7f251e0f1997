import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'chai';
import { sendRaw } from '../support/clients/raw-connection.js';
import { request } from '../support/clients/request.js';
import { unknownPath } from '../support/contract/contract-requests.js';
import { startMock, type TestMock } from '../support/servers/mock.js';
import { useService } from '../support/servers/service.js';
import { client, get, message, nonsense } from './raw-requests.js';

const shop = 'https://pets.example';
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const send = (line: string, ...lines: readonly string[]) => message([`${line} HTTP/1.1`, 'Host: x', ...lines]);

describe('every response', () => {
  const service = useService({ METRICS_PORT: '0', CORS_ORIGINS: shop });
  let mock: TestMock;
  before(async () => (mock = await startMock()));

  /** The head of the response as it was sent, which can contain a header twice. */
  const headFrom = async (url: string | undefined, bytes: string) => {
    const { hostname, port } = new URL(url ?? '');
    const socket = connect({ host: hostname, port: Number(port) }).setEncoding('latin1');
    socket.write(bytes.replace(client.token, service.token));
    let received = '';
    socket.on('data', (text: string) => (received += text));
    while (!received.includes('\r\n\r\n')) await once(socket, 'data');
    socket.destroy();
    return received.slice(0, received.indexOf('\r\n\r\n') + 1);
  };
  const urls = { service: () => service.baseUrl, metrics: () => service.metricsUrl, mock: () => mock.baseUrl };

  for (const [server, status, bytes] of [
    ['service', 200, get(client)],
    ['service', 400, get(client, '/v1/pets?limit=0')],
    ['service', 401, send('GET /v1/pets')],
    ['service', 204, send('OPTIONS /v1/pets', `Origin: ${shop}`, 'Access-Control-Request-Method: GET')],
    ['service', 302, send('GET /')],
    ['service', 200, send('GET /docs')],
    ['service', 304, send('GET /docs/page.js', 'If-None-Match: *')],
    ['service', 200, send('GET /openapi.yaml')],
    ['service', 200, send('GET /healthz')],
    ['service', 400, message(['GET /v1/pets HTTP/1.1'])],
    ['service', 400, nonsense],
    ['service', 501, send('CONNECT x:80')],
    ['metrics', 200, send('GET /metrics')],
    ['metrics', 404, send('GET /nothing')],
    ['metrics', 400, nonsense],
    ['mock', 200, get(client)],
  ] as const) {
    const [line = ''] = bytes.split('\r\n');
    it(`has X-Content-Type-Options: nosniff once: ${String(status)} of the ${server} for ${line}`, async () => {
      const head = await headFrom(urls[server](), bytes);
      expect(head).to.match(new RegExp(`^HTTP/1\\.1 ${String(status)} `));
      expect(head.match(/^X-Content-Type-Options: nosniff\r$/gim), head).to.have.lengthOf(1);
    });
  }

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
    expect((await sendRaw(service, nonsense)).headers['x-request-id']).to.match(uuid);
    const first = (await request(service).get('/v1/pets')).get('x-request-id');
    const second = (await request(service).get('/v1/pets')).get('x-request-id');
    expect(second).to.match(uuid).and.not.equal(first);
  });

  it('has Cache-Control: no-store, except documents', async () => {
    for (const path of ['/', '/v1/pets', unknownPath])
      await request(service).get(path).expect('Cache-Control', 'no-store');
    expect((await sendRaw(service, nonsense)).headers).to.include({ 'cache-control': 'no-store' });
  });
});
