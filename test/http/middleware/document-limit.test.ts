import { expect } from 'chai';
import { documentRequestsPerMinute as requestsPerMinute } from '#src/http/address-limit.js';
import { RawConnection } from '../../support/clients/raw-connection.js';
import { request } from '../../support/clients/request.js';
import type { ReceivedResponse } from '../../support/contract/conformance.js';
import { startService, useNewService } from '../../support/servers/service.js';

describe('documents beyond the limit of a client address', () => {
  const service = useNewService({ TRUST_PROXY: '1' });

  const download = (path: string, address: string) => request(service, null).get(path).set('X-Forwarded-For', address);
  const use = async (count: number, address: string) => {
    const statuses: number[] = [];
    for (let done = 0; done < count; done += 1) statuses.push((await download('/docs/icon.svg', address)).status);
    expect(new Set(statuses)).to.deep.equal(new Set([200]));
  };

  it('return 429 with Retry-After, whichever of them is requested', async () => {
    await use(requestsPerMinute, '198.51.100.7');
    for (const path of ['/docs', '/openapi.yaml', '/openapi.json', '/docs/viewer.js']) {
      const response = await download(path, '198.51.100.7').expect(429);
      const seconds = Number(response.headers['retry-after']);
      expect(seconds).to.be.within(1, 60);
      expect(response.body).to.deep.equal({
        code: 'rate_limit_exceeded',
        message:
          `The limit of ${String(requestsPerMinute)} requests per minute is exceeded. Retry after ${String(seconds)} ` +
          's.',
        status: 429,
      });
      expect(response.headers).to.include({
        'x-ratelimit-limit': String(requestsPerMinute),
        'x-ratelimit-remaining': '0',
        'ratelimit-policy': `"minute";q=${String(requestsPerMinute)};w=60`,
      });
    }
  });

  it('do not count a download that ends with 304', async () => {
    const { headers } = await download('/docs/icon.svg', '198.51.100.8').expect(200);
    for (let done = 0; done < requestsPerMinute; done += 1) {
      await download('/docs/icon.svg', '198.51.100.8').set('If-None-Match', String(headers['etag'])).expect(304);
    }
    await download('/docs/icon.svg', '198.51.100.8').expect(200);
  });

  it('close the connection, unless it is that of a trusted proxy', async () => {
    await use(requestsPerMinute, '198.51.100.9');
    const connection = await RawConnection.open(service);
    const get = (headers = '') => connection.send(`GET /docs HTTP/1.1\r\nHost: x\r\n${headers}\r\n`);
    get('X-Forwarded-For: 198.51.100.9\r\n');
    const { status, headers } = await connection.readResponse();
    expect([status, headers['connection']]).to.deep.equal([429, 'keep-alive']);
    connection.end();

    await service.close();
    Object.assign(service, await startService());
    const direct = await RawConnection.open(service);
    let response: ReceivedResponse;
    do {
      direct.send('GET /docs/icon.svg HTTP/1.1\r\nHost: x\r\n\r\n');
      response = await direct.readResponse();
    } while (response.status === 200);
    expect([response.status, response.headers['connection']]).to.deep.equal([429, 'close']);
    await direct.whenEnded();
  });

  it('leave other addresses, the API and health checks as they are', async () => {
    await use(requestsPerMinute, '2001:db8:0:1::1');
    await download('/docs', '2001:db8:0:2::1').expect(429);
    await download('/docs', '2001:db8:1::1').expect(200);
    await download('/healthz', '2001:db8:0:1::1').expect(200);
    await request(service).get('/v1/pets').set('X-Forwarded-For', '2001:db8:0:1::1').expect(200);
  });
});
