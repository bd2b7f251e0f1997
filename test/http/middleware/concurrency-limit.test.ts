import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { RawConnection } from '../../support/clients/raw-connection.js';
import { request } from '../../support/clients/request.js';
import { describeWithRedis, RedisServer } from '../../support/redis/redis-server.js';
import { startService, type TestService } from '../../support/servers/service.js';
import { chunked, creationHead, json } from '../raw-requests.js';

// A paused Redis makes a rate-limit decision take long, so that requests end during it.
describeWithRedis('the concurrency limit', () => {
  let redis: RedisServer;
  let service: TestService;
  beforeEach(async () => {
    redis = await RedisServer.start();
    service = await startService({ MAX_CONCURRENT_REQUESTS: '2', REDIS_URL: redis.url });
    redis.pause();
  });

  /** Sends a creation without its body. Resolves during its decision. */
  const sendHead = async (...lines: string[]) => {
    const connection = await RawConnection.open(service);
    connection.send(creationHead(service, json, ...lines));
    const [{ socket }] = (await once(service.server, 'request')) as [IncomingMessage];
    return { connection, closed: new Promise((resolve) => socket.once('close', resolve)) };
  };

  it('does not count requests whose clients disconnected during the rate-limit decision', async () => {
    const sent = [await sendHead('Content-Length: 30'), await sendHead('Content-Length: 30')];
    for (const { connection } of sent) connection.reset();
    for (const { closed } of sent) await closed;
    redis.resume();
    // The slots are free when the decisions are made; until then, the limit is reached.
    while ((await request(service).get('/v1/pets')).status === 503);
    await request(service).get('/v1/pets').expect(200);
  });

  it('does not count requests whose body was rejected during the rate-limit decision', async () => {
    for (const { connection } of [await sendHead(chunked), await sendHead(chunked)]) {
      connection.send('zz\r\n');
      expect((await connection.readResponse()).status).to.equal(400);
    }
    redis.resume();
    await request(service).get('/v1/pets').expect(200);
  });
});
