import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { expect } from 'chai';
import { freePort } from '../../scripts/machine/free-port.js';
import { RawConnection } from '../support/clients/raw-connection.js';
import type { ReceivedResponse } from '../support/contract/conformance.js';
import { allowedMethods, unknownMethod } from '../support/contract/contract-requests.js';
import { expectError, host, sendRequest } from '../support/servers/balancer-requests.js';
import { describeWithNginx, Nginx, nginxKeepsIdleConnections } from '../support/servers/nginx.js';
import { ServerProcess } from '../support/servers/server-process.js';
import { startService, type TestService } from '../support/servers/service.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

/** Headers that depend on the connection, the responding server or the request. */
const incidental = new Set([
  'connection',
  'keep-alive',
  'server',
  'date',
  'x-request-id',
  'x-ratelimit-remaining',
  'ratelimit',
]);
const transport = ['connection', 'keep-alive', 'server'];

const namesOf = ({ headers }: ReceivedResponse) => Object.keys(headers).filter((name) => !transport.includes(name));
const fixedPartOf = ({ status, headers, text }: ReceivedResponse) => ({
  status,
  headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !incidental.has(name))),
  text,
});

describeWithNginx('the load balancer in front of the service', () => {
  let service: TestService;
  let nginx: Nginx;
  let servicePort: number;
  let authorization: string;

  before(async () => {
    service = await startService({ TRUST_PROXY: '1' });
    servicePort = (service.server.address() as AddressInfo).port;
    authorization = `Authorization: Bearer ${service.token}\r\n`;
    nginx = await Nginx.start([servicePort, servicePort, servicePort], await freePort());
    for (const name of ['Rex', 'Mia']) {
      const response = await sendRequest(nginx.port, create(JSON.stringify({ name, categoryId: 1 }), ''));
      expect([response.status, response.headers['location']]).to.deep.equal([
        201,
        `${service.baseUrl}/pets/${name === 'Rex' ? '1' : '2'}`,
      ]);
    }
  });

  after(async () => {
    await nginx.stop();
  });

  const create = (body: string, further: string) =>
    `POST /v1/pets HTTP/1.1\r\n${host}${authorization}Content-Type: application/json\r\n${further}Content-Length: ` +
    `${String(Buffer.byteLength(body))}\r\n\r\n${body}`;

  const requests: Readonly<Record<string, () => string>> = {
    'a page with a link to the next': () => `GET /v1/pets?limit=1 HTTP/1.1\r\n${host}${authorization}\r\n`,
    'the head of a page': () => `HEAD /v1/pets?limit=1 HTTP/1.1\r\n${host}${authorization}\r\n`,
    'a percent-encoded letter': () => `GET /v1/p%65ts?limit=1 HTTP/1.1\r\n${host}${authorization}\r\n`,
    'a pet, with the announced removal': () => `GET /v1/pets/1 HTTP/1.1\r\n${host}${authorization}\r\n`,
    'the methods of a path': () => `OPTIONS /v1/pets HTTP/1.1\r\n${host}\r\n`,
    'no key': () => `GET /v1/pets HTTP/1.1\r\n${host}\r\n`,
    'an unknown pet': () => `GET /v1/pets/77 HTTP/1.1\r\n${host}${authorization}\r\n`,
    'no such path': () => `GET /v1//pets/../cats?x=%7E HTTP/1.1\r\n${host}${authorization}\r\n`,
    'no such method': () => `${unknownMethod} /v1/pets HTTP/1.1\r\n${host}${authorization}\r\n`,
    'an unknown method': () => `BREW /v1/pets HTTP/1.1\r\n${host}\r\n`,
    'a body with faults': () => create('{"name":1}', ''),
    'a bad Idempotency-Key': () => create('{"name":"Rex","categoryId":1}', 'Idempotency-Key: ä\r\n'),
    'a body that is no JSON': () => create('{', ''),
    'a body that is too long': () => create(' '.repeat(70_000), ''),
    'a target that is too long': () => `GET /v1/pets?cursor=${'x'.repeat(9000)} HTTP/1.1\r\n${host}\r\n`,
    'headers that are too long': () => `GET /v1/pets HTTP/1.1\r\n${host}X-Long: ${'x'.repeat(17_000)}\r\n\r\n`,
    'an operation that is reserved': () => `GET /v1/store/orders HTTP/1.1\r\n${host}${authorization}\r\n`,
    'whether it is ready': () => `GET /readyz HTTP/1.1\r\n${host}\r\n`,
  };
  for (const [what, bytes] of Object.entries(requests)) {
    it(`forwards the response of the service unchanged: ${what}`, async () => {
      const direct = await sendRequest(servicePort, bytes());
      const balanced = await sendRequest(nginx.port, bytes());
      expect(fixedPartOf(balanced)).to.deep.equal(fixedPartOf(direct));
      expect(namesOf(balanced)).to.have.members(namesOf(direct));
    });
  }

  it('compresses JSON and YAML, for caches too, and leaves their content and 304 as they are', async () => {
    for (const path of ['openapi.yaml', 'openapi.json']) {
      const url = `http://127.0.0.1:${String(nginx.port)}/${path}`;
      const response = await fetch(url, { headers: { 'accept-encoding': 'gzip' } });
      expect(Object.fromEntries(response.headers)).to.include({ 'content-encoding': 'gzip' });
      expect(response.headers.get('vary')).to.match(/^Accept-Encoding/);
      const direct = await fetch(`http://127.0.0.1:${String(servicePort)}/${path}`);
      expect(await response.text()).to.equal(await direct.text());
      const condition = `Accept-Encoding: gzip\r\nIf-None-Match: ${response.headers.get('etag') ?? ''}\r\n`;
      const repeated = await sendRequest(nginx.port, `GET /${path} HTTP/1.1\r\n${host}${condition}\r\n`);
      expect(repeated.status).to.equal(304);
    }
  });

  it('passes the client address on, whatever the client claims', async () => {
    const connection = await RawConnection.openTo({ address: '127.0.0.1', port: nginx.port }, '127.0.0.9');
    connection.send(`GET /v1/pets HTTP/1.1\r\n${host}X-Forwarded-For: 192.0.2.1\r\nX-Request-Id: mine\r\n\r\n`);
    expect((await connection.readResponse()).headers).to.include({ 'x-request-id': 'mine' });
    connection.end();
    expect(await service.log.ofRequest('mine')).to.include({ requestId: 'mine', address: '127.0.0.9' });
  });

  it('passes no request id on that the contract does not allow', async () => {
    const { headers } = await sendRequest(
      nginx.port,
      `GET /_balancer/503 HTTP/1.1\r\n${host}X-Request-Id: <script>\r\n\r\n`,
    );
    expect(headers['x-request-id']).to.match(/^[0-9a-f]{32}$/);
  });

  const faults: readonly (readonly [
    status: number,
    code: string,
    bytes: string,
    headers?: Readonly<Record<string, string>>,
  ])[] = [
    [400, 'malformed_http', 'GET /v1/pets HTTP/1.1\r\n\r\n'],
    [404, 'route_not_found', `GET /_balancer/503 HTTP/1.1\r\n${host}\r\n`],
    [404, 'route_not_found', `GET /_balancer/x HTTP/1.1\r\n${host}\r\n`],
    [405, 'method_not_allowed', `TRACE /v1/pets HTTP/1.1\r\n${host}\r\n`, { allow: allowedMethods('/pets') }],
    [413, 'body_too_large', `POST /v1/pets HTTP/1.1\r\n${host}Content-Length: 200000\r\n\r\n`],
    [414, 'uri_too_long', `GET /v1/${'x'.repeat(40_000)} HTTP/1.1\r\n${host}\r\n`],
    [431, 'headers_too_large', `GET /v1/pets HTTP/1.1\r\n${host}X-Long: ${'x'.repeat(40_000)}\r\n\r\n`],
    [501, 'not_implemented', `POST /v1/pets HTTP/1.1\r\n${host}Transfer-Encoding: gzip\r\n\r\n`],
    [400, 'malformed_http', `GET /v1/pets HTTP/3.0\r\n${host}\r\n`],
  ];
  for (const [status, code, bytes, further = {}] of faults) {
    it(`returns an Error body without forwarding: ${String(status)} to ${bytes.split(' HTTP', 1).join('').slice(0, 30)}`, async () => {
      expectError(await sendRequest(nginx.port, bytes), status, code, further);
    });
  }
});

describeWithNginx('the load balancer in front of failing nodes', () => {
  const requests: Readonly<Record<string, string>> = {
    'a creation': 'POST /v1/pets HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}',
    'a creation with an Idempotency-Key':
      'POST /v1/pets HTTP/1.1\r\nHost: a\r\nIdempotency-Key: k\r\nContent-Length: 2\r\n\r\n{}',
    'a list': 'GET /v1/pets HTTP/1.1\r\nHost: a\r\n\r\n',
  };
  /** How many of three nodes receive a request that makes each of them crash. */
  const tries: Readonly<Record<string, number>> = {
    'a creation': 1,
    'a creation with an Idempotency-Key': 3,
    'a list': 3,
  };

  for (const [what, bytes] of Object.entries(requests)) {
    it(`sends ${what} to ${String(tries[what])} of three nodes that crash, and returns 503`, async () => {
      const received: string[] = [];
      const nodes = await Promise.all([1, 2, 3].map(() => mortalNode(received)));
      const nginx = await Nginx.start(nodes.map(portOf), await freePort());
      expectError(await sendRequest(nginx.port, bytes), 503, 'store_unavailable', { 'retry-after': '1' });
      expect(received).to.have.lengthOf(tries[what] ?? NaN);
      await nginx.stop();
      for (const node of nodes) node.close();
    });

    it(`sends ${what} to the only node that accepts connections`, async () => {
      const received: string[] = [];
      const response = 'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}';
      const node = await mortalNode(received, response);
      const nginx = await Nginx.start([await freePort(), portOf(node), await freePort()], await freePort());
      for (let count = 0; count < 6; count += 1) expect((await sendRequest(nginx.port, bytes)).status).to.equal(200);
      expect(received).to.have.lengthOf(6);
      await nginx.stop();
      node.close();
    });
  }
});

describeWithNginx('a reload of the load balancer', () => {
  (nginxKeepsIdleConnections ? it : it.skip)('leaves idle connections open (nginx 1.27.4 or newer)', async () => {
    const node = await mortalNode([], 'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}');
    const nginx = await Nginx.start([portOf(node), portOf(node), portOf(node)], await freePort(), true);
    const connection = await RawConnection.openTo({ address: '127.0.0.1', port: nginx.port });
    try {
      for (const isLast of [false, true]) {
        if (isLast) await nginx.reload();
        connection.send(`GET /healthz HTTP/1.1\r\n${host}\r\n`);
        const { status, headers } = await connection.readResponse();
        expect([status, headers['connection']]).to.deep.equal([200, isLast ? 'close' : 'keep-alive']);
      }
    } finally {
      connection.end();
      await nginx.stop();
      node.close();
    }
  });
});

/** Maximum delay of a client by a frozen node, as documented in docs/scaling.md, in milliseconds. */
const frozenMsMax = 6000;

describeWithNginx('the load balancer in front of a frozen node', () => {
  let nodes: ServerProcess[];
  let nginx: Nginx;

  before(async () => {
    nodes = await Promise.all([1, 2, 3].map(() => ServerProcess.start({ DATA_DIR: temporaryDirectory() })));
  });

  beforeEach(async () => {
    const ports = nodes.map(({ baseUrl }) => Number(new URL(baseUrl).port));
    nginx = await Nginx.start(ports, await freePort());
  });

  afterEach(async () => {
    nodes[0]?.kill('SIGCONT');
    await nginx.stop();
  });

  after(() => Promise.all(nodes.map((node) => node.stop())));

  const requests: readonly (readonly [what: string, bytes: string, statuses: readonly number[]])[] = [
    ['GET', `GET /healthz HTTP/1.1\r\n${host}\r\n`, [200]],
    [
      'POST with an Idempotency-Key',
      `POST /v1/pets HTTP/1.1\r\n${host}Idempotency-Key: k\r\nContent-Length: 0\r\n\r\n`,
      [401],
    ],
    ['POST', `POST /v1/pets HTTP/1.1\r\n${host}Content-Length: 0\r\n\r\n`, [401, 503]],
  ];
  for (const [what, bytes, statuses] of requests) {
    it(`completes ${what} within 6 s: ${statuses.join(' or ')}`, async () => {
      // Some of them use connections to the node that were open before it froze.
      for (let count = 0; count < 6; count += 1) await sendRequest(nginx.port, `GET /healthz HTTP/1.1\r\n${host}\r\n`);
      nodes[0]?.kill('SIGSTOP');
      const startedAt = performance.now();
      const responses = await Promise.all(Array.from({ length: 12 }, () => sendRequest(nginx.port, bytes)));
      expect(performance.now() - startedAt).to.be.below(frozenMsMax);
      expect([...new Set(responses.map(({ status }) => status))].sort()).to.deep.equal(statuses);
    });
  }
});

/** A server that resets every connection, after a response if it is given one. */
async function mortalNode(received: string[], response?: string): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (bytes: Buffer) => {
      received.push(bytes.toString('latin1'));
      if (response === undefined) socket.resetAndDestroy();
      else socket.end(response);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}
