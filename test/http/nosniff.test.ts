import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'chai';
import { unknownMethod, unknownPath } from '../support/contract/contract-requests.js';
import { startMock, type TestMock } from '../support/servers/mock.js';
import { startService, type TestService } from '../support/servers/service.js';

const nosniff = /^X-Content-Type-Options: nosniff\r$/gim;

/** Every kind of response, and the request for it. `<key>` is replaced by a valid key. */
const requests: Readonly<Record<string, readonly [status: number, bytes: string]>> = {
  'an operation': [200, get('/v1/pets', 'Authorization: Bearer <key>')],
  'an invalid request': [400, get('/v1/pets?limit=0', 'Authorization: Bearer <key>')],
  'a request without a key': [401, get('/v1/pets')],
  'an unknown path of the API': [404, get(unknownPath)],
  'an unknown path': [404, get('/nothing')],
  'an unknown method of a path': [405, get('/v1/pets').replace('GET', unknownMethod)],
  'HEAD of an operation': [200, get('/v1/pets', 'Authorization: Bearer <key>').replace('GET', 'HEAD')],
  'OPTIONS of an operation': [204, get('/v1/pets').replace('GET', 'OPTIONS')],
  'OPTIONS of the server': [204, get('*').replace('GET', 'OPTIONS')],
  'a CORS preflight request': [
    204,
    get('/v1/pets', 'Origin: https://pets.example', 'Access-Control-Request-Method: GET').replace('GET', 'OPTIONS'),
  ],
  'the root': [302, get('/')],
  'the page at /docs': [200, get('/docs')],
  'a part of that page': [200, get('/docs/page.js')],
  'a document that the client has': [304, get('/docs/page.js', 'If-None-Match: *')],
  'the contract': [200, get('/openapi.yaml')],
  'OPTIONS of the contract': [204, get('/openapi.yaml').replace('GET', 'OPTIONS')],
  'a health check': [200, get('/healthz')],
  'a readiness check': [200, get('/readyz')],
  'a request without Host': [400, 'GET /v1/pets HTTP/1.1\r\n\r\n'],
  'bytes that are no HTTP': [400, 'nonsense\r\n\r\n'],
  CONNECT: [501, 'CONNECT x:80 HTTP/1.1\r\nHost: x:80\r\n\r\n'],
};
const metricsRequests: typeof requests = {
  'the metrics': [200, get('/metrics')],
  'an unknown path beside the metrics': [404, get('/nothing')],
  'OPTIONS of the metrics': [204, get('/metrics').replace('GET', 'OPTIONS')],
  'bytes that are no HTTP, sent to the metrics': [400, 'nonsense\r\n\r\n'],
};
const mockRequests: typeof requests = {
  'an operation of the mock': [200, get('/v1/pets', 'Authorization: Bearer <key>')],
  'a request to the mock without a key': [401, get('/v1/pets')],
};

function get(target: string, ...lines: readonly string[]): string {
  return [`GET ${target} HTTP/1.1`, 'Host: pets.example', ...lines, '', ''].join('\r\n');
}

describe('X-Content-Type-Options: nosniff', () => {
  let service: TestService;
  let mock: TestMock;
  before(async () => {
    service = await startService({ METRICS_PORT: '0', CORS_ORIGINS: 'https://pets.example' });
    mock = await startMock();
  });
  after(() => Promise.all([service.close(), mock.close()]));

  /** The head of the response as it was sent, which can contain a header twice. */
  const headFrom = async (url: string | undefined, bytes: string) => {
    const { hostname, port } = new URL(url ?? '');
    const socket = connect({ host: hostname, port: Number(port) }).setEncoding('latin1');
    socket.write(bytes.replace('<key>', service.token));
    let received = '';
    socket.on('data', (text: string) => (received += text));
    while (!received.includes('\r\n\r\n')) await once(socket, 'data');
    socket.destroy();
    return received.slice(0, received.indexOf('\r\n\r\n') + 1);
  };
  const expectNosniff = async (url: string | undefined, [status, bytes]: readonly [number, string]) => {
    const head = await headFrom(url, bytes);
    expect(head).to.match(new RegExp(`^HTTP/1\\.1 ${String(status)} `));
    expect(head.match(nosniff), head).to.have.lengthOf(1);
  };

  for (const [what, sent] of Object.entries(requests)) {
    it(`is sent once with the response to ${what}`, () => expectNosniff(service.baseUrl, sent));
  }
  for (const [what, sent] of Object.entries(metricsRequests)) {
    it(`is sent once with the response to ${what}`, () => expectNosniff(service.metricsUrl, sent));
  }
  for (const [what, sent] of Object.entries(mockRequests)) {
    it(`is sent once with the response to ${what}`, () => expectNosniff(mock.baseUrl, sent));
  }
});
