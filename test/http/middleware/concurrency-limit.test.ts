import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { RawConnection } from '../../support/clients/raw-connection.js';
import { request } from '../../support/clients/request.js';
import { describeWithRedis, RedisServer } from '../../support/redis/redis-server.js';
import { startService } from '../../support/servers/service.js';
import { chunked, creationHead, json } from '../raw-requests.js';

describeWithRedis('the concurrency limit', () => {
  it('does not count requests whose clients disconnect, or whose bodies are rejected, before they are read', async () => {
    const redis = await RedisServer.start();
    const service = await startService({ MAX_CONCURRENT_REQUESTS: '4', REDIS_URL: redis.url });
    // A rate-limit decision takes long, so that requests end during it.
    redis.pause();
    const closed: Promise<unknown>[] = [];
    for (const rest of ['', '', 'zz\r\n', 'zz\r\n']) {
      const connection = await RawConnection.open(service);
      connection.send(creationHead(service, json, chunked));
      const [{ socket }] = (await once(service.server, 'request')) as [IncomingMessage];
      closed.push(new Promise((resolve) => socket.once('close', resolve)));
      if (rest === '') connection.reset();
      else connection.send(rest);
    }
    await Promise.all(closed);
    redis.resume();
    // The slots are free when the decisions are made; until then, the limit is reached.
    while ((await request(service).get('/v1/pets')).status === 503);
    await Promise.all(Array.from({ length: 4 }, () => request(service).get('/v1/pets').expect(200)));
  });
});
