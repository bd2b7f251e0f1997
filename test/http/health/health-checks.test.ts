import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { RawConnection } from '../../support/clients/raw-connection.js';
import { request } from '../../support/clients/request.js';
import { assertConforms } from '../../support/contract/conformance.js';
import { apiError, responseOf, success } from '../../support/contract/response.js';
import { corruptDatabase, openBeside } from '../../support/fault-injection.js';
import { useNewService } from '../../support/servers/service.js';

const notReady = apiError(
  503,
  'not_ready',
  'The server is stopping, or its storage is unavailable. Send requests to another server.',
  {
    'retry-after': '1',
  },
);
const methodNotAllowed = apiError(405, 'method_not_allowed', 'This path supports only GET, HEAD, OPTIONS.', {
  allow: 'GET, HEAD, OPTIONS',
});

describe('/healthz and /readyz', () => {
  const service = useNewService({ METRICS_PORT: '0' });

  /** Sends the same request to both listeners, whose responses must be the same. */
  const sendRequest = async (path: string, method = 'GET') => {
    const places = [service.baseUrl, service.metricsUrl].map((url) => new URL(path, url));
    const responses = places.map(async (url) => {
      const response = await fetch(url, { method });
      const headers = Object.fromEntries(response.headers);
      return { status: response.status, headers, text: await response.text() };
    });
    const [first, second] = await Promise.all(responses);
    if (first === undefined || second === undefined) throw new Error('There are two listeners.');
    expect(responseOf(second)).to.deep.equal(responseOf(first));
    assertConforms(method, path, first);
    return first;
  };

  it('return 200 without a key on both listeners, with Cache-Control: no-store', async () => {
    const [health, readiness] = [await sendRequest('/healthz'), await sendRequest('/readyz')];
    expect(responseOf(health)).to.deep.equal(success(200, { status: 'ok' }));
    expect(responseOf(readiness)).to.deep.equal(success(200, { status: 'ready' }));
    for (const { headers } of [health, readiness]) {
      expect(headers).to.include({ 'cache-control': 'no-store' }).and.have.property('x-request-id');
    }
  });

  it('are not rate-limited', async () => {
    for (let sent = 0; sent < 70; sent += 1) {
      const { status, headers } = await request(service, null).get('/readyz');
      expect(status).to.equal(200);
      expect(headers).to.not.have.any.keys('x-ratelimit-limit', 'ratelimit');
    }
    const { headers } = await request(service, null).get('/v1/pets').expect(401);
    expect(headers).to.include({ 'x-ratelimit-remaining': '59' });
  });

  it('support HEAD and OPTIONS, and return 405 for other methods', async () => {
    for (const path of ['/healthz', '/readyz']) {
      const [get, head] = [await sendRequest(path), await sendRequest(path, 'HEAD')];
      expect(head).to.include({ status: 200, text: '' });
      expect(head.headers['content-length']).to.equal(get.headers['content-length']);
      expect(responseOf(await sendRequest(path, 'OPTIONS'))).to.deep.equal({
        status: 204,
        headers: { allow: 'GET, HEAD, OPTIONS' },
      });
      for (const method of ['POST', 'PUT', 'DELETE'])
        expect(responseOf(await sendRequest(path, method))).to.deep.equal(methodNotAllowed);
    }
  });

  it('return 404 for similar paths', async () => {
    for (const path of ['/healthz/', '/HEALTHZ', '/v1/readyz', '/health', '/healthz%2F']) {
      await request(service, null).get(path).expect(404);
    }
  });

  it('report an unavailable store and its recovery, which are logged once', async () => {
    await request(service).post('/v1/pets').send({ name: 'Rex', categoryId: 7 }).expect(201);
    const file = join(service.directory, 'petstore.db');
    const beside = openBeside(service);
    beside.pragma('wal_checkpoint(TRUNCATE)');
    const whole = readFileSync(file);
    corruptDatabase(service);
    for (let time = 0; time < 3; time += 1) expect(responseOf(await sendRequest('/readyz'))).to.deep.equal(notReady);
    expect(responseOf(await sendRequest('/healthz')).status).to.equal(200);
    writeFileSync(file, whole);
    // The service reads the file again once it has changed.
    beside.exec("UPDATE pets SET name = 'Max'");
    beside.close();
    for (let time = 0; time < 3; time += 1) expect((await sendRequest('/readyz')).status).to.equal(200);
    const [notice, recovery] = await service.log.first(2, ({ msg }) => msg === 'not ready' || msg === 'ready again');
    expect(notice).to.include({ level: 'warn', msg: 'not ready' });
    expect(JSON.stringify(notice)).to.contain('SQLITE_CORRUPT');
    expect(recovery).to.include({ level: 'warn', msg: 'ready again' });
    expect(service.log.lines.filter(({ msg }) => /ready/.test(String(msg)))).to.have.lengthOf(2);
  });

  it('return 200 and 503 during a shutdown with a request in progress', async () => {
    const upload = await RawConnection.open(service);
    const head =
      `Host: x\r\nAuthorization: Bearer ${service.token}\r\nContent-Type: application/json\r\nContent-Length: ` +
      '29\r\n\r\n';
    upload.send(`POST /v1/pets HTTP/1.1\r\n${head}{"name":"Rex",`);
    const probing = await RawConnection.open(service);
    const probe = async (path: string) => {
      probing.send(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
      return probing.readResponse();
    };
    expect((await probe('/readyz')).status).to.equal(200);
    const closed = service.stop();
    expect(responseOf(await probe('/readyz'))).to.deep.equal(notReady);
    expect((await fetch(new URL('/readyz', service.metricsUrl))).status).to.equal(503);
    expect((await fetch(new URL('/healthz', service.metricsUrl))).status).to.equal(200);
    upload.send('"categoryId":7}');
    expect((await upload.readResponse()).status).to.equal(201);
    await closed;
    expect(await fetch(String(service.metricsUrl)).catch(() => 'gone')).to.equal('gone');
  });
});
