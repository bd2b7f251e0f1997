import { expect } from 'chai';
import { documentRequestsPerMinute as requestsPerMinute } from '#src/http/address-limit.js';
import { request } from '../../support/clients/request.js';
import { apiError, responseOf } from '../../support/contract/response.js';
import { useService } from '../../support/servers/service.js';

describe('documents beyond the limit of a client address', () => {
  const service = useService({ TRUST_PROXY: '1' });

  const download = (path: string, address: string) => request(service, null).get(path).set('X-Forwarded-For', address);
  const useUp = async (address: string) => {
    for (let done = 0; done < requestsPerMinute; done += 1) await download('/docs/icon.svg', address).expect(200);
  };

  it('return 429 with Retry-After, whichever of them is requested; other addresses and paths are served', async () => {
    await useUp('2001:db8:0:1::1');
    for (const path of ['/docs', '/openapi.yaml', '/openapi.json', '/docs/viewer.js']) {
      const response = await download(path, '2001:db8:0:2::1');
      const seconds = String(response.get('retry-after'));
      expect(Number(seconds)).to.be.within(1, 60);
      const text = `The limit of ${String(requestsPerMinute)} requests per minute is exceeded. Retry after ${seconds} s.`;
      const expected = apiError(429, 'rate_limit_exceeded', text, { 'retry-after': seconds });
      expect(responseOf(response)).to.deep.include({ status: 429, body: expected.body });
      const policy = `"minute";q=${String(requestsPerMinute)};w=60`;
      const limits = { 'x-ratelimit-limit': String(requestsPerMinute), 'x-ratelimit-remaining': '0' };
      expect(response.headers).to.include({ ...limits, 'ratelimit-policy': policy });
    }
    await download('/docs', '2001:db8:1::1').expect(200);
    await download('/healthz', '2001:db8:0:1::1').expect(200);
    await request(service).get('/v1/pets').set('X-Forwarded-For', '2001:db8:0:1::1').expect(200);
  });

  it('do not count a download that ends with 304', async () => {
    const etag = String((await download('/docs/icon.svg', '198.51.100.8').expect(200)).get('etag'));
    for (let done = 0; done < requestsPerMinute; done += 1)
      await download('/docs/icon.svg', '198.51.100.8').set('If-None-Match', etag).expect(304);
    await download('/docs/icon.svg', '198.51.100.8').expect(200);
  });
});
