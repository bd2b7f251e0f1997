import { once } from 'node:events';
import type { Socket } from 'node:net';
import { RawConnection, sendRaw } from '@contract-server/test-support/clients/raw-connection.js';
import {
  chunked,
  creation,
  creationHead,
  host,
  json,
  message,
  nonsense,
  toy,
} from '@contract-server/test-support/clients/raw-requests.js';
import { attackSlowly, type Slowness } from '@contract-server/test-support/clients/slow-clients.js';
import { apiError, responseOf } from '@contract-server/test-support/contract/response.js';
import { whileLocked } from '@contract-server/test-support/fault-injection.js';
import { request, startToys, type TestToys, useNewToys } from '@contract-server/test-support/servers/toys.js';
import { expect } from 'chai';

const connect = message(['CONNECT x:80 HTTP/1.1', host]);
const malformed = (text: string) => apiError(400, 'malformed_http', `The request is not valid HTTP/1.1${text}`);
const unparsed = malformed('. Send it with an HTTP library.');

describe('malformed HTTP', () => {
  const service = useNewToys();

  it('returns 400 with the limits of the client address, counted once, also in pieces and beyond its limit', async () => {
    const connection = await RawConnection.open(service);
    for (const character of nonsense) {
      connection.send(character);
      await new Promise(setImmediate);
    }
    const first = await connection.readResponse();
    expect(responseOf(first)).to.deep.equal(unparsed);
    const limits = { 'x-ratelimit-remaining': '59', 'ratelimit-policy': '"minute";q=60;w=60' };
    expect(first.headers).to.include({ connection: 'close', ...limits });
    expect(Date.parse(first.headers.date ?? '')).to.be.closeTo(Date.now(), 60_000);
    expect((await sendRaw(service, nonsense)).headers).to.include({ 'x-ratelimit-remaining': '58' });
    for (let sent = 0; sent < 60; sent += 1) await request(service, null).get('/v1/toys');
    const { status, headers } = await sendRaw(service, nonsense);
    expect([status, headers['x-ratelimit-remaining']]).to.deep.equal([400, '0']);
  });

  it('receives a response that also reaches a client that keeps sending', async () => {
    const connection = await RawConnection.open(service, nonsense);
    expect(responseOf(await connection.readResponse())).to.deep.equal(unparsed);
    await connection.whenEnded();
    connection.send(Buffer.alloc(500_000, 'x'));
    connection.endSending();
    await connection.whenClosed();
    expect(connection.isReset).to.equal(false);
  });

  it('is read to the end after its response, so that the connection is not reset', async () => {
    const accepted = once(service.server, 'connection') as Promise<[Socket]>;
    const bytes = message(['GET / HTTP/1.1', host, `X: ${'x'.repeat(500_000)}`]);
    const connection = await RawConnection.open(service, bytes);
    expect((await connection.readResponse()).status).to.equal(431);
    const [socket] = await accepted;
    const closed = once(socket, 'close');
    connection.endSending();
    await closed;
    expect(socket.bytesRead).to.equal(bytes.length);
  });

  it('in the body of a request rejects that request, with its X-Request-Id and without effect', async () => {
    const head = creationHead(service, json, chunked, 'X-Request-Id: order-1');
    const response = await sendRaw(service, `${head}1d\r\n${toy}\r\n${nonsense}`);
    expect(responseOf(response)).to.deep.equal(unparsed);
    expect(response.headers).to.include({ 'x-request-id': 'order-1', 'x-ratelimit-remaining': '59' });
    await request(service).get('/v1/toys').expect(200, []);
  });

  it('in an incomplete request receives one response', async () => {
    for (const [status, head] of [
      [400, creationHead(service, json, 'Content-Length: 100')],
      [400, creationHead(service, json, 'Content-Length: 100', 'Expect: 100-continue')],
      [413, creationHead(service, json, 'Content-Length: 100000')],
      [401, message(['POST /v1/toys HTTP/1.1', host, 'Content-Length: 100'])],
    ] as const) {
      const connection = await RawConnection.open(service, `${head}{"name"`);
      connection.endSending();
      if (head.includes('Expect')) expect((await connection.readResponse()).status).to.equal(100);
      expect((await connection.readResponse()).status).to.equal(status);
      await connection.whenEnded();
      expect(connection.rest).to.equal('');
    }
  });

  it('is counted against the address that a trusted proxy reports if its headers can be read', async () => {
    const proxied = await startToys({ TRUST_PROXY: '1' });
    for (const [address, remaining] of [
      ['192.0.2.1', '59'],
      ['192.0.2.1', '58'],
      ['192.0.2.2', '59'],
    ] as const) {
      const response = await sendRaw(proxied, message(['GET /v1/toys HTTP/1.1', `X-Forwarded-For: ${address}`]));
      expect(responseOf(response)).to.deep.equal(malformed(': the header Host is missing.'));
      expect(response.headers).to.include({ 'x-ratelimit-remaining': remaining, connection: 'close' });
    }
  });

  for (const [what, status, bytesOf] of [
    ['malformed bytes', 400, () => nonsense],
    ['a request without Host', 400, () => message(['GET /v1/toys HTTP/1.1'])],
    ['a malformed body', 400, () => creationHead(service, json, chunked) + nonsense],
    ['CONNECT', 501, () => connect],
  ] as const)
    it(`receives its response after those of requests in progress, or none after a disconnect: ${what}`, async () => {
      const valid = creation(service, toy);
      const [connection, disconnected] = [await RawConnection.open(service), await RawConnection.open(service)];
      await whileLocked(service, async () => {
        connection.send(`${valid}${valid}${bytesOf()}${valid}`);
        disconnected.send(`${valid}${bytesOf()}`);
        // A response to a read shows that what was sent before has arrived.
        await request(service).get('/v1/toys').expect(200, []);
        disconnected.end();
      });
      for (const expected of [201, 201, status]) expect((await connection.readResponse()).status).to.equal(expected);
      await connection.whenEnded();
      expect(connection.rest).to.equal('');
      expect((await request(service).get('/v1/toys')).body).to.have.lengthOf(3);
      expect(service.reported).to.deep.equal([]);
    });

  it('does not keep a connection without activity open', async () => {
    service.server.setTimeout(50);
    await whileLocked(service, async () => {
      const connection = await RawConnection.open(service, creation(service, toy) + connect);
      await connection.whenEnded();
      expect(connection.rest).to.equal('');
    });
  });
});

/** A fiftieth of the timeouts of the service, in milliseconds. */
const scaledTimeouts = { headersTimeout: 400, requestTimeout: 1000, connectionsCheckingInterval: 100 };
const stallTimeoutMs = 2000;
/** Maximum time until all are disconnected: the longest timeout, and the delays of a busy machine. */
const goneMs = 10_000;

describe('slow clients', () => {
  let service: TestToys;
  beforeEach(async () => {
    service = await startToys({ MAX_CONNECTIONS_PER_ADDRESS: '0' }, undefined, scaledTimeouts);
    service.server.setTimeout(stallTimeoutMs);
  });

  const attack = (count: number, slowness: Slowness) => attackSlowly({ ...service, path: '/v1/toys' }, count, slowness);
  const statusOfOthers = async () => {
    const headers = { authorization: `Bearer ${service.token}` };
    return (await fetch(`${service.baseUrl}/toys`, { headers })).status;
  };

  it('receive 408 and are disconnected if headers or bodies are late, while others are served', async () => {
    const attacks = [attack(200, 'headers'), attack(100, 'body'), attack(20, 'silent')];
    let isOver = false as boolean;
    const endings = Promise.all(attacks).finally(() => (isOver = true));
    while (!isOver) expect(await statusOfOthers()).to.equal(200);
    const [headers = [], body = [], silent = []] = await endings;
    for (const { status } of [...headers, ...body]) expect(status).to.equal(408);
    for (const { afterMs } of [...headers, ...body, ...silent]) expect(afterMs).to.be.below(goneMs);
  });

  it('have 20 s for headers and 50 s for a request', async () => {
    const { server } = await startToys();
    expect(server).to.include({ headersTimeout: 20_000, requestTimeout: 50_000, timeout: 25_000 });
  });

  it('receive 408 before they are disconnected if they stop in the middle of a body', async () => {
    service.server.setTimeout(200);
    service.server.requestTimeout = 10 * goneMs;
    for (const { status } of await attack(5, 'stopped')) expect(status).to.equal(408);
  });

  it('are disconnected if they never read their responses', async () => {
    for (let count = 0; count < 100; count += 1)
      await request(service)
        .post('/v1/toys')
        .send({ name: 'x'.repeat(255), weight: count })
        .expect(201);
    const attacks = [attack(1, 'deaf'), attack(1, 'deaf to short responses')];
    for (const { afterMs } of (await Promise.all(attacks)).flat()) expect(afterMs).to.be.below(goneMs);
    expect(await statusOfOthers()).to.equal(200);
  });
});
