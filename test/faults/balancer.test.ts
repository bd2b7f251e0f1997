import { type AddressInfo, createServer, type Server } from 'node:net';
import { RawConnection, type ReceivedResponse } from '@contract-server/test-support/clients/raw-connection.js';
import { freePort } from '@contract-server/test-support/machine/free-port.js';
import { describeUnless } from '@contract-server/test-support/requirements.js';
import { listen } from '@contract-server/test-support/servers/listen.js';
import { temporaryDirectory } from '@contract-server/test-support/temporary-directory.js';
import { expect } from 'chai';
import { request, sendTo } from '../support/clients/proxied-requests.js';
import { allowedMethods } from '../support/contract/contract-requests.js';
import { describeWithNginx, Nginx, nginxKeepsIdleConnections } from '../support/servers/nginx.js';
import { ServerProcess } from '../support/servers/server-process.js';
import { useService } from '../support/servers/service.js';

const health = request('GET /healthz');
const creation = 'POST /v1/pets HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n';
const ok = 'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}';

function expectError({ status, headers, text }: ReceivedResponse, expected: number, code: string, further = {}): void {
  const { message, ...body } = JSON.parse(text) as Record<string, unknown>;
  expect([status, body]).to.deep.equal([expected, { code, status }]);
  expect(message).to.match(/^[A-Z].*\.$/);
  const always = {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  };
  expect(headers).to.include({ ...always, ...further });
  expect(headers['x-request-id']).to.match(/^[0-9a-f]{32}$/);
}

/** A server that resets every connection, after a response if it is given one. */
function mortalNode(received: string[], response?: string): Promise<number> {
  const server = createServer((socket) => {
    socket
      .on('error', () => undefined)
      .once('data', (bytes: Buffer) => {
        received.push(bytes.toString('latin1'));
        if (response === undefined) socket.resetAndDestroy();
        else socket.end(response);
      });
  });
  return listen(server);
}

const portOf = (server: Pick<Server, 'address'>) => (server.address() as AddressInfo).port;

describeWithNginx('the load balancer in front of the service', () => {
  const service = useService({ TRUST_PROXY: '1' });
  let nginx: Nginx;
  before(async () => {
    const port = portOf(service.server);
    nginx = await Nginx.start([port, port, port]);
  });

  it('forwards a request of HTTP/1.0 without Host, as a health check of another load balancer sends it', async () => {
    const { text } = await sendTo(nginx, 'GET /readyz HTTP/1.0\r\n\r\n');
    expect(JSON.parse(text)).to.include({ status: 200, code: 'ready' });
  });

  it('compresses JSON and YAML, for caches too, and leaves their content and 304 as they are', async () => {
    for (const path of ['/openapi.yaml', '/openapi.json']) {
      const url = `http://127.0.0.1:${String(nginx.port)}${path}`;
      const response = await fetch(url, { headers: { 'accept-encoding': 'gzip' } });
      expect(response.headers.get('content-encoding')).to.equal('gzip');
      expect(response.headers.get('vary')).to.match(/^Accept-Encoding/);
      expect(await response.text()).to.equal(await (await fetch(new URL(path, service.baseUrl))).text());
      const condition = `Accept-Encoding: gzip\r\nIf-None-Match: ${response.headers.get('etag') ?? ''}\r\n`;
      expect((await sendTo(nginx, request(`GET ${path}`, condition))).status).to.equal(304);
    }
  });

  it('passes the client address on, whatever the client claims, and only request ids that the contract allows', async () => {
    const connection = await RawConnection.openTo(nginx, '127.0.0.9');
    connection.send(request('GET /v1/pets', 'X-Forwarded-For: 192.0.2.1\r\nX-Request-Id: mine\r\n'));
    expect((await connection.readResponse()).headers).to.include({ 'x-request-id': 'mine' });
    expect(await service.log.ofRequest('mine')).to.include({ requestId: 'mine', address: '127.0.0.9' });
    const { headers } = await sendTo(nginx, request('GET /_balancer/503', 'X-Request-Id: <script>\r\n'));
    expect(headers['x-request-id']).to.match(/^[0-9a-f]{32}$/);
  });

  for (const [status, code, bytes, further = {}] of [
    [400, 'malformed_http', 'GET /v1/pets HTTP/1.1\r\n\r\n'],
    [404, 'route_not_found', request('GET /_balancer/503')],
    [404, 'route_not_found', request('GET /_balancer/x')],
    [405, 'method_not_allowed', request('TRACE /v1/pets'), { allow: allowedMethods('/pets') }],
    [413, 'body_too_large', request('POST /v1/pets', 'Content-Length: 200000\r\n')],
    [414, 'uri_too_long', request(`GET /v1/${'x'.repeat(40_000)}`)],
    [431, 'headers_too_large', request('GET /v1/pets', `X-Long: ${'x'.repeat(40_000)}\r\n`)],
    [501, 'not_implemented', request('POST /v1/pets', 'Transfer-Encoding: gzip\r\n')],
    [400, 'malformed_http', 'GET /v1/pets HTTP/3.0\r\nHost: a\r\n\r\n'],
  ] as const)
    it(`returns an Error body without forwarding: ${String(status)} to ${bytes.slice(0, 25).split(' HTTP', 1).join('')}`, async () => {
      expectError(await sendTo(nginx, bytes), status, code, further);
    });

  it('returns 429 with an Error body to more requests of a client address than its burst', async () => {
    const ports = [1, 2, 3].map(() => portOf(service.server));
    const { port } = await Nginx.start(ports, { limits: ['1r/m', 3, 500] });
    for (let count = 0; count < 4; count += 1) expect((await sendTo({ port }, health)).status).to.equal(200);
    expectError(await sendTo({ port }, health), 429, 'rate_limit_exceeded', { 'retry-after': '1' });
  });

  it('returns 429 with an Error body to a request of a client address with more connections at a time', async () => {
    const ports = [1, 2, 3].map(() => portOf(service.server));
    const { port } = await Nginx.start(ports, { limits: ['5000r/s', 2000, 1] });
    const connection = await RawConnection.openTo({ port });
    connection.send(`${request('POST /v1/pets', 'Content-Length: 2\r\n')}{`);
    let response = await sendTo({ port }, health);
    // Until the balancer has read the head of the first request.
    while (response.status === 200) response = await sendTo({ port }, health);
    expectError(response, 429, 'rate_limit_exceeded', { 'retry-after': '1' });
    connection.send('}');
    expect((await connection.readResponse()).status).to.equal(401);
    connection.end();
    expect((await sendTo({ port }, health)).status).to.equal(200);
  });
});

describeWithNginx('the load balancer in front of failing nodes', () => {
  /** How many of three nodes receive a request that makes each of them crash. */
  for (const [what, tries, bytes] of [
    ['a creation', 1, `${creation}\r\n{}`],
    ['a creation with an Idempotency-Key', 3, `${creation}Idempotency-Key: k\r\n\r\n{}`],
    ['a list', 3, 'GET /v1/pets HTTP/1.1\r\nHost: a\r\n\r\n'],
  ] as const) {
    it(`sends ${what} to ${String(tries)} of three nodes that crash, and returns 503`, async () => {
      const received: string[] = [];
      const { port } = await Nginx.start(await Promise.all([1, 2, 3].map(() => mortalNode(received))));
      expectError(await sendTo({ port }, bytes), 503, 'store_unavailable', { 'retry-after': '1' });
      expect(received).to.have.lengthOf(tries);
    });

    it(`sends ${what} to the only node that accepts connections`, async () => {
      const received: string[] = [];
      const { port } = await Nginx.start([await freePort(), await mortalNode(received, ok), await freePort()]);
      for (let count = 0; count < 6; count += 1) expect((await sendTo({ port }, bytes)).status).to.equal(200);
      expect(received).to.have.lengthOf(6);
    });
  }

  const tooOld = nginxKeepsIdleConnections ? undefined : 'nginx is older than 1.27.4';
  describeUnless(tooOld, 'at a reload', () =>
    it('leaves idle connections open', async () => {
      const node = await mortalNode([], ok);
      const nginx = await Nginx.start([node, node, node], { keepsIdleConnections: true });
      const connection = await RawConnection.openTo(nginx);
      for (const expected of ['keep-alive', 'close']) {
        if (expected === 'close') await nginx.reload();
        connection.send(health);
        const { status, headers } = await connection.readResponse();
        expect([status, headers['connection']]).to.deep.equal([200, expected]);
      }
    }),
  );
});

/** Maximum delay of a client by a frozen node, as documented in docs/scaling.md, in milliseconds. */
const frozenMsMax = 6000;

describeWithNginx('the load balancer in front of a frozen node', () => {
  let nodes: ServerProcess[];
  before(async () => {
    nodes = await Promise.all([1, 2, 3].map(() => ServerProcess.start({ DATA_DIR: temporaryDirectory() })));
  });
  afterEach(() => nodes[0]?.kill('SIGCONT'));

  const post = 'POST /v1/pets HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n';
  for (const [what, bytes, statuses] of [
    ['GET', health, [200]],
    ['POST with an Idempotency-Key', `${post}Idempotency-Key: k\r\n\r\n`, [401]],
    ['POST', `${post}\r\n`, [401, 503]],
  ] as const)
    it(`completes ${what} within 6 s: ${statuses.join(' or ')}`, async () => {
      const { port } = await Nginx.start(nodes.map((node) => node.port));
      // Some of them use connections to the node that were open before it froze.
      for (let count = 0; count < 6; count += 1) await sendTo({ port }, health);
      nodes[0]?.kill('SIGSTOP');
      const startedAt = performance.now();
      const responses = await Promise.all(Array.from({ length: 12 }, () => sendTo({ port }, bytes)));
      expect(performance.now() - startedAt).to.be.below(frozenMsMax);
      expect([...new Set(responses.map(({ status }) => status))].sort()).to.deep.equal(statuses);
    });
});
