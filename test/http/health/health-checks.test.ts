import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { RawConnection } from '../../support/clients/raw-connection.js';
import { request } from '../../support/clients/request.js';
import { assertConforms } from '../../support/contract/conformance.js';
import { apiError, responseOf, success } from '../../support/contract/response.js';
import { corruptDatabase, openBeside } from '../../support/fault-injection.js';
import { createPet, rexText } from '../../support/pets.js';
import { useNewService } from '../../support/servers/service.js';
import { creation, message } from '../raw-requests.js';

const unready = 'The server is stopping, or its storage is unavailable. Send requests to another server.';
const notReady = apiError(503, 'not_ready', unready, { 'retry-after': '1' });
const allow = 'GET, HEAD, OPTIONS';
const methodNotAllowed = apiError(405, 'method_not_allowed', `This path supports only ${allow}.`, { allow });

describe('/healthz and /readyz', () => {
  const service = useNewService({ METRICS_PORT: '0' });

  const sendTo = async (origin: string | undefined, path: string, method: string) => {
    const response = await fetch(new URL(path, origin), { method });
    const { status, headers } = response;
    return { status, headers: Object.fromEntries(headers), text: await response.text() };
  };
  /** Sends the same request to both listeners, whose responses must be the same. */
  const send = async (path: string, method = 'GET') => {
    const response = await sendTo(service.baseUrl, path, method);
    assertConforms(method, path, response);
    expect(responseOf(await sendTo(service.metricsUrl, path, method))).to.deep.equal(responseOf(response));
    return response;
  };

  for (const [path, code, message] of [
    ['/healthz', 'alive', 'The process responds.'],
    ['/readyz', 'ready', 'The stores respond.'],
  ] as const) {
    it(`return 200 on both listeners, for GET, HEAD and OPTIONS only, without a key: ${path}`, async () => {
      const { headers, ...response } = await send(path);
      expect(responseOf({ headers, ...response })).to.deep.equal(success(200, { code, message, status: 200 }));
      expect(headers).to.include({ 'cache-control': 'no-store' }).and.have.property('x-request-id');
      const head = await send(path, 'HEAD');
      expect(head).to.include({ status: 200, text: '' });
      expect(head.headers).to.include({ 'content-length': headers['content-length'] });
      expect(responseOf(await send(path, 'OPTIONS'))).to.deep.equal({ status: 204, headers: { allow } });
      for (const method of ['POST', 'PUT', 'DELETE'])
        expect(responseOf(await send(path, method))).to.deep.equal(methodNotAllowed);
    });
  }

  it('are not rate-limited', async () => {
    for (let sent = 0; sent < 70; sent += 1) await request(service, null).get('/readyz').expect(200);
    await request(service, null).get('/v1/pets').expect(401).expect('X-RateLimit-Remaining', '59');
  });

  it('report an unavailable store and its recovery, which are logged once', async () => {
    await createPet(service);
    const file = join(service.directory, 'petstore.db');
    const beside = openBeside(service);
    beside.pragma('wal_checkpoint(TRUNCATE)');
    const whole = readFileSync(file);
    corruptDatabase(service);
    for (let time = 0; time < 3; time += 1) expect(responseOf(await send('/readyz'))).to.deep.equal(notReady);
    expect((await send('/healthz')).status).to.equal(200);
    writeFileSync(file, whole);
    // The service reads the file again once it has changed.
    beside.exec("UPDATE pets SET name = 'Max'");
    beside.close();
    for (let time = 0; time < 3; time += 1) expect((await send('/readyz')).status).to.equal(200);
    await service.log.first(1, ({ msg }) => msg === 'ready again');
    const lines = service.log.lines.filter(({ msg }) => /ready/.test(String(msg)));
    expect(lines.map(({ msg }) => msg)).to.deep.equal(['not ready', 'ready again']);
    for (const { level } of lines) expect(level).to.equal('warn');
    expect(JSON.stringify(lines[0])).to.contain('SQLITE_CORRUPT');
  });

  it('return 200 and 503 during a shutdown with a request in progress', async () => {
    const upload = await RawConnection.open(service);
    upload.send(creation(service, rexText).slice(0, -1));
    const probing = await RawConnection.open(service);
    const probe = async (path: string) => {
      probing.send(message([`GET ${path} HTTP/1.1`, 'Host: x']));
      return probing.readResponse();
    };
    expect((await probe('/readyz')).status).to.equal(200);
    const closed = service.stop();
    expect(responseOf(await probe('/readyz'))).to.deep.equal(notReady);
    expect((await fetch(new URL('/readyz', service.metricsUrl))).status).to.equal(503);
    expect((await fetch(new URL('/healthz', service.metricsUrl))).status).to.equal(200);
    upload.send('}');
    expect((await upload.readResponse()).status).to.equal(201);
    await closed;
    expect(await fetch(String(service.metricsUrl)).catch(() => 'gone')).to.equal('gone');
  });
});
