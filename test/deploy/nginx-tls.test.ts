import type { AddressInfo } from 'node:net';
import type { ListeningAddress } from '@contract-server/test-support/clients/raw-connection.js';
import { freePort } from '@contract-server/test-support/machine/free-port.js';
import { expect } from 'chai';
import { request, sendTo } from '../support/clients/proxied-requests.js';
import { allowedMethods } from '../support/contract/contract-requests.js';
import { describeWithNginx, startNginxTls } from '../support/servers/nginx.js';
import { useService } from '../support/servers/service.js';

const post = (body: string, headers: string) =>
  request('POST /v1/pets', `${headers}Content-Length: ${String(body.length)}\r\n`) + body;

describeWithNginx('deploy/nginx-tls.conf', () => {
  const service = useService({ TRUST_PROXY: '1', PUBLIC_BASE_URL: 'https://api.example/v1' });
  let nginx: ListeningAddress;
  before(async () => (nginx = await startNginxTls((service.server.address() as AddressInfo).port)));

  const authorized = () => `Authorization: Bearer ${service.token}\r\nContent-Type: application/json\r\n`;

  it('serves the API over TLS on kept connections, with the URL that clients use in its links', async () => {
    let connections = 0;
    service.server.on('connection', () => (connections += 1));
    for (const id of [1, 2, 3]) {
      const { status, headers } = await sendTo(nginx, post('{"name":"Rex","categoryId":7}', authorized()));
      expect([status, headers['location']]).to.deep.equal([201, `https://api.example/v1/pets/${String(id)}`]);
    }
    expect(connections).to.equal(1);
  });

  it('leaves the errors of large bodies to the service, and publishes no health checks', async () => {
    const { status, headers } = await sendTo(nginx, post(' '.repeat(70_000), authorized()));
    expect(status).to.equal(413);
    expect(headers).to.include.keys('ratelimit');
    for (const path of ['/healthz', '/readyz'])
      expect((await sendTo(nginx, request(`GET ${path}`))).status).to.equal(404);
  });

  it('sends the Error body of the contract itself, also without TLS and while the service is down', async () => {
    const down = await startNginxTls(await freePort());
    for (const [status, code, to, bytes, further = {}] of [
      [400, 'malformed_http', nginx, 'GET /v1/pets HTTP/1.1\r\n\r\n'],
      [400, 'malformed_http', { port: nginx.port }, request('GET /v1/pets')],
      [404, 'route_not_found', nginx, request('GET /readyz')],
      [405, 'method_not_allowed', nginx, request('TRACE /v1/pets'), { allow: allowedMethods('/pets') }],
      [413, 'body_too_large', nginx, post(' '.repeat(200_000), authorized())],
      [414, 'uri_too_long', nginx, request(`GET /v1/${'x'.repeat(40_000)}`)],
      [503, 'store_unavailable', down, request('GET /v1/pets'), { 'retry-after': '1' }],
    ] as const) {
      const response = await sendTo(to, bytes);
      const { message, ...body } = JSON.parse(response.text) as Record<string, unknown>;
      expect([response.status, body]).to.deep.equal([status, { code, status }]);
      expect(message).to.match(/^[A-Z].*\.$/);
      expect(response.headers).to.include({
        'content-type': 'application/json',
        'cache-control': 'no-store',
        ...further,
      });
      expect(response.headers['x-request-id']).to.match(/^[0-9a-f]{32}$/);
    }
  });
});
