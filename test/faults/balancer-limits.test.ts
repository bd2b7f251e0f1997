import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { freePort } from '../../scripts/machine/free-port.js';
import { RawConnection } from '../support/clients/raw-connection.js';
import type { ReceivedResponse } from '../support/contract/conformance.js';
import { expectError, host, sendRequest } from '../support/servers/balancer-requests.js';
import { describeWithNginx, Nginx } from '../support/servers/nginx.js';
import { startService, type TestService } from '../support/servers/service.js';

describeWithNginx('the load balancer beyond the limits of a client address', () => {
  let service: TestService;
  let nginx: Nginx;
  const get = `GET /healthz HTTP/1.1\r\n${host}\r\n`;
  const startNginx = async (limits: { rate: string; burst: number; connections: number }) => {
    const port = (service.server.address() as AddressInfo).port;
    nginx = await Nginx.start([port, port, port], await freePort(), false, limits);
  };

  beforeEach(async () => (service = await startService({ TRUST_PROXY: '1' })));
  afterEach(async () => {
    await nginx.stop();
  });

  it('returns 429 with an Error body to more requests than its burst', async () => {
    await startNginx({ rate: '1r/m', burst: 3, connections: 500 });
    const responses: ReceivedResponse[] = [];
    for (let count = 0; count < 5; count += 1) responses.push(await sendRequest(nginx.port, get));
    expect(responses.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200, 429]);
    expectError(responses[4] as ReceivedResponse, 429, 'rate_limit_exceeded', { 'retry-after': '1' });
  });

  it('returns 429 with an Error body to a request on more connections at a time', async () => {
    await startNginx({ rate: '5000r/s', burst: 2000, connections: 1 });
    const connection = await RawConnection.openTo({ address: '127.0.0.1', port: nginx.port });
    connection.send(`POST /v1/pets HTTP/1.1\r\n${host}Content-Length: 2\r\n\r\n{`);
    let response = await sendRequest(nginx.port, get);
    // Until the balancer has read the head of the first request.
    while (response.status === 200) response = await sendRequest(nginx.port, get);
    expectError(response, 429, 'rate_limit_exceeded', { 'retry-after': '1' });
    connection.send('}');
    expect((await connection.readResponse()).status).to.equal(401);
    connection.end();
    expect((await sendRequest(nginx.port, get)).status).to.equal(200);
  });
});
