import { type AddressInfo, createServer, type Server } from 'node:net';
import { expect } from 'chai';
import { RawConnection, type ReceivedResponse } from '#contract-server-test/support/clients/raw-connection.js';
import { freePort } from '#contract-server-test/support/machine/free-port.js';
import { describeUnless } from '#contract-server-test/support/requirements.js';
import { listen } from '#contract-server-test/support/servers/listen.js';
import { temporaryDirectory } from '#contract-server-test/support/temporary-directory.js';
import { allowedMethods, unknownMethod } from '../support/contract/contract-requests.js';
import { describeWithNginx, Nginx, nginxKeepsIdleConnections } from '../support/servers/nginx.js';
import { ServerProcess } from '../support/servers/server-process.js';
import { useService } from '../support/servers/service.js';

const host = 'Host: shop.example\r\n';
const health = `GET /healthz HTTP/1.1\r\n${host}\r\n`;
const creation = 'POST /v1/pets HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n';
const ok = 'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}';
const transport = ['connection', 'keep-alive', 'server'];
/** Headers that depend on the connection, the responding server or the request. */
const incidental = [...transport, 'date', 'x-request-id', 'x-ratelimit-remaining', 'ratelimit'];

async function sendRequest(port: number, bytes: string): Promise<ReceivedResponse> {
  const connection = await RawConnection.openTo({ port });
  connection.send(bytes);
  const response = await connection.readResponse(bytes.startsWith('HEAD '));
  connection.end();
  return response;
}

function headersWithout(names: readonly string[], { headers }: ReceivedResponse): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));
}

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
    for (const id of [1, 2]) {
      const { status, headers } = await sendRequest(nginx.port, withKey(post('{"name":"Rex","categoryId":1}')));
      expect([status, headers['location']]).to.deep.equal([201, `${service.baseUrl}/pets/${String(id)}`]);
    }
  });

  const withKey = (bytes: string) => bytes.replace('<key>', `Authorization: Bearer ${service.token}\r\n`);
  const request = (line: string, headers = '') => `${line} HTTP/1.1\r\n${host}${headers}\r\n`;
  const post = (body: string, headers = '') =>
    request(
      'POST /v1/pets',
      `<key>Content-Type: application/json\r\n${headers}Content-Length: ${String(body.length)}\r\n`,
    ) + body;

  for (const [what, bytes] of [
    ['a page with a link to the next', request('GET /v1/pets?limit=1', '<key>')],
    ['the head of a page', request('HEAD /v1/pets?limit=1', '<key>')],
    ['a percent-encoded letter', request('GET /v1/p%65ts?limit=1', '<key>')],
    ['a pet, with the announced removal', request('GET /v1/pets/1', '<key>')],
    ['the methods of a path', request('OPTIONS /v1/pets')],
    ['no such path', request('GET /v1//pets/../cats?x=%7E', '<key>')],
    ['no such method', request(`${unknownMethod} /v1/pets`, '<key>')],
    ['a bad Idempotency-Key', post('{"name":"Rex","categoryId":1}', 'Idempotency-Key: ä\r\n')],
    ['a body that is too long', post(' '.repeat(70_000))],
    ['a target that is too long', request(`GET /v1/pets?cursor=${'x'.repeat(9000)}`)],
    ['headers that are too long', request('GET /v1/pets', `X-Long: ${'x'.repeat(17_000)}\r\n`)],
    ['whether it is ready', request('GET /readyz')],
  ] as const)
    it(`forwards the response of the service unchanged: ${what}`, async () => {
      const direct = await sendRequest(portOf(service.server), withKey(bytes));
      const balanced = await sendRequest(nginx.port, withKey(bytes));
      expect([balanced.status, balanced.text]).to.deep.equal([direct.status, direct.text]);
      expect(headersWithout(incidental, balanced)).to.deep.equal(headersWithout(incidental, direct));
      expect(headersWithout(transport, balanced)).to.have.all.keys(headersWithout(transport, direct));
    });

  it('compresses JSON and YAML, for caches too, and leaves their content and 304 as they are', async () => {
    for (const path of ['/openapi.yaml', '/openapi.json']) {
      const url = `http://127.0.0.1:${String(nginx.port)}${path}`;
      const response = await fetch(url, { headers: { 'accept-encoding': 'gzip' } });
      expect(response.headers.get('content-encoding')).to.equal('gzip');
      expect(response.headers.get('vary')).to.match(/^Accept-Encoding/);
      expect(await response.text()).to.equal(await (await fetch(new URL(path, service.baseUrl))).text());
      const condition = `Accept-Encoding: gzip\r\nIf-None-Match: ${response.headers.get('etag') ?? ''}\r\n`;
      expect((await sendRequest(nginx.port, request(`GET ${path}`, condition))).status).to.equal(304);
    }
  });

  it('passes the client address on, whatever the client claims, and only request ids that the contract allows', async () => {
    const connection = await RawConnection.openTo(nginx, '127.0.0.9');
    connection.send(request('GET /v1/pets', 'X-Forwarded-For: 192.0.2.1\r\nX-Request-Id: mine\r\n'));
    expect((await connection.readResponse()).headers).to.include({ 'x-request-id': 'mine' });
    expect(await service.log.ofRequest('mine')).to.include({ requestId: 'mine', address: '127.0.0.9' });
    const { headers } = await sendRequest(nginx.port, request('GET /_balancer/503', 'X-Request-Id: <script>\r\n'));
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
    [400, 'malformed_http', `GET /v1/pets HTTP/3.0\r\n${host}\r\n`],
  ] as const)
    it(`returns an Error body without forwarding: ${String(status)} to ${bytes.slice(0, 25).split(' HTTP', 1).join('')}`, async () => {
      expectError(await sendRequest(nginx.port, bytes), status, code, further);
    });

  it('returns 429 with an Error body to more requests of a client address than its burst', async () => {
    const ports = [1, 2, 3].map(() => portOf(service.server));
    const { port } = await Nginx.start(ports, { limits: ['1r/m', 3, 500] });
    for (let count = 0; count < 4; count += 1) expect((await sendRequest(port, health)).status).to.equal(200);
    expectError(await sendRequest(port, health), 429, 'rate_limit_exceeded', { 'retry-after': '1' });
  });

  it('returns 429 with an Error body to a request of a client address with more connections at a time', async () => {
    const ports = [1, 2, 3].map(() => portOf(service.server));
    const { port } = await Nginx.start(ports, { limits: ['5000r/s', 2000, 1] });
    const connection = await RawConnection.openTo({ port });
    connection.send(`${request('POST /v1/pets', 'Content-Length: 2\r\n')}{`);
    let response = await sendRequest(port, health);
    // Until the balancer has read the head of the first request.
    while (response.status === 200) response = await sendRequest(port, health);
    expectError(response, 429, 'rate_limit_exceeded', { 'retry-after': '1' });
    connection.send('}');
    expect((await connection.readResponse()).status).to.equal(401);
    connection.end();
    expect((await sendRequest(port, health)).status).to.equal(200);
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
      expectError(await sendRequest(port, bytes), 503, 'store_unavailable', { 'retry-after': '1' });
      expect(received).to.have.lengthOf(tries);
    });

    it(`sends ${what} to the only node that accepts connections`, async () => {
      const received: string[] = [];
      const { port } = await Nginx.start([await freePort(), await mortalNode(received, ok), await freePort()]);
      for (let count = 0; count < 6; count += 1) expect((await sendRequest(port, bytes)).status).to.equal(200);
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
      for (let count = 0; count < 6; count += 1) await sendRequest(port, health);
      nodes[0]?.kill('SIGSTOP');
      const startedAt = performance.now();
      const responses = await Promise.all(Array.from({ length: 12 }, () => sendRequest(port, bytes)));
      expect(performance.now() - startedAt).to.be.below(frozenMsMax);
      expect([...new Set(responses.map(({ status }) => status))].sort()).to.deep.equal(statuses);
    });
});
