import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { request } from '../../support/clients/request.js';
import { describeWithRedis, RedisServer } from '../../support/redis/redis-server.js';
import { startService, type TestService } from '../../support/servers/service.js';

const requestsMax = 2;

// A paused Redis makes a rate-limit decision take long, so that requests end during it.
describeWithRedis('the concurrency limit', () => {
  let redis: RedisServer;
  let service: TestService;
  beforeEach(async () => {
    redis = await RedisServer.start();
    service = await startService({ MAX_CONCURRENT_REQUESTS: String(requestsMax), REDIS_URL: redis.url });
  });
  afterEach(async () => {
    await service.close();
    await redis.kill();
  });

  /** Sends as many creations as are processed at a time, without their bodies. Resolves during their decisions. */
  const sendHeads = async (...lines: string[]): Promise<{ sockets: Socket[]; received: IncomingMessage[] }> => {
    const { port } = service.server.address() as AddressInfo;
    const head = ['POST /v1/pets HTTP/1.1', 'Host: a', `Authorization: Bearer ${service.token}`];
    const sockets: Socket[] = [];
    const received: IncomingMessage[] = [];
    while (sockets.length < requestsMax) {
      const socket = connect({ port, host: '127.0.0.1' });
      socket.write([...head, 'Content-Type: application/json', ...lines, '', ''].join('\r\n'));
      const [incoming] = (await once(service.server, 'request')) as [IncomingMessage];
      sockets.push(socket);
      received.push(incoming);
    }
    return { sockets, received };
  };

  it('does not count requests whose clients disconnected during the rate-limit decision', async () => {
    redis.pause();
    const { sockets, received } = await sendHeads('Content-Length: 30');
    const closed = received.map(({ socket }) => new Promise((resolve) => socket.once('close', resolve)));
    for (const socket of sockets) socket.resetAndDestroy();
    await Promise.all(closed);
    redis.resume();
    // The slots are free when the decisions are made; until then, the limit is reached.
    let status = 503;
    while (status === 503) ({ status } = await request(service).get('/v1/pets'));
    expect(status).to.equal(200);
  });

  it('does not count requests whose body was rejected during the rate-limit decision', async () => {
    redis.pause();
    const { sockets } = await sendHeads('Transfer-Encoding: chunked');
    const responses = sockets.map(async (socket) => {
      socket.write('zz\r\n');
      return String(((await once(socket, 'data')) as [Buffer])[0]);
    });
    for (const response of await Promise.all(responses)) expect(response).to.match(/^HTTP\/1\.1 400 /);
    redis.resume();
    await request(service).get('/v1/pets').expect(200);
  });
});
