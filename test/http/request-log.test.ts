import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { createToken } from '#src/api-keys/token.js';
import { readTraceparent } from '#src/http/request-log.js';
import { RawConnection, sendRaw } from '../support/clients/raw-connection.js';
import { request } from '../support/clients/request.js';
import { unknownPath } from '../support/contract/contract-requests.js';
import { corruptDatabase, dropTable, forgetKeys } from '../support/fault-injection.js';
import { type LogLine, withoutMoment } from '../support/log-lines.js';
import { startService, type TestService } from '../support/servers/service.js';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const parentId = 'b7ad6b7169203331';

describe('the log line of a request', () => {
  let service: TestService;
  const start = async (env: Readonly<Record<string, string>> = {}) => (service = await startService(env));

  /** The line of the request with this status. */
  const lineOf = async (response: { readonly headers: unknown }): Promise<LogLine> => {
    const id = (response.headers as Readonly<Record<string, string>>)['x-request-id'];
    return withoutMoment(await service.log.ofRequest(id));
  };
  const raw = (target: string, ...headers: string[]) =>
    Buffer.from(
      ['GET ', target, ' HTTP/1.1\r\nHost: x\r\n', ...headers.map((line) => `${line}\r\n`), '\r\n'].join(''),
      'latin1',
    );

  it('has the method, the operation, the client and the result', async () => {
    await start();
    const created = await request(service)
      .post('/v1/pets')
      .set('X-Request-Id', 'order-1')
      .set('traceparent', `00-${traceId}-${parentId}-01`)
      .send({ name: 'Rex', categoryId: 7 })
      .expect(201);
    expect(await lineOf(created)).to.deep.equal({
      level: 'info',
      requestId: 'order-1',
      traceId,
      parentId,
      method: 'POST',
      operationId: 'createPet',
      status: 201,
      keyId: service.keyId,
      address: '127.0.0.1',
      msg: 'request',
    });
    const { time, durationMs } = await service.log.ofRequest('order-1');
    expect(time).to.equal('2026-11-20T12:00:00.000Z');
    expect(durationMs).to.be.a('number').within(0, 10_000);
  });

  it('has the error code, and no key id without a valid key', async () => {
    await start();
    const cases: readonly [path: string, token: string | null, result: LogLine][] = [
      ['/v1/pets', null, { status: 401, errorCode: 'missing_api_key' }],
      ['/v1/pets', createToken('pets_live_'), { status: 401, errorCode: 'invalid_api_key' }],
      ['/v1/pets?limit=0', service.token, { status: 400, errorCode: 'invalid_request', keyId: service.keyId }],
    ];
    for (const [path, token, result] of cases) {
      const { requestId, ...line } = await lineOf(await request(service, token).get(path));
      expect(requestId).to.match(/^[0-9a-f-]{36}$/);
      expect(line).to.deep.equal({
        ...{ level: 'info', method: 'GET', operationId: 'listPets', address: '127.0.0.1', msg: 'request' },
        ...result,
      });
    }
  });

  it('has the path if no operation matches', async () => {
    await start();
    const cases: readonly [target: string, method: 'get' | 'propfind', line: LogLine][] = [
      [unknownPath, 'get', { path: unknownPath, status: 404, errorCode: 'route_not_found' }],
      ['/favicon.ico?x=1', 'get', { path: '/favicon.ico', status: 404, errorCode: 'route_not_found' }],
      ['/%66avicon%2Eico', 'get', { path: '/favicon.ico', status: 404, errorCode: 'route_not_found' }],
      ['/v1/pets', 'propfind', { path: '/v1/pets', status: 405, errorCode: 'method_not_allowed' }],
      ['/openapi.yaml', 'get', { path: '/openapi.yaml', status: 200 }],
    ];
    for (const [target, method, line] of cases) {
      const { path, operationId, status, errorCode } = await lineOf(await request(service, null)[method](target));
      expect({ path, operationId, status, errorCode }, target).to.deep.equal({
        ...{ path: undefined, operationId: undefined, errorCode: undefined },
        ...line,
      });
    }
    const encoded = await lineOf(await sendRaw(service, raw('/v1/p%65ts')));
    expect(encoded).to.include({ operationId: 'listPets', status: 401 }).and.not.have.property('path');
  });

  it('has the X-Request-Id of a 500, as the log line of the error with its stack has', async () => {
    await start();
    dropTable(service, 'pets');
    const response = await request(service).get('/v1/pets').set('X-Request-Id', 'quoted').expect(500);
    expect(await lineOf(response)).to.include({
      level: 'error',
      status: 500,
      errorCode: 'internal_error',
      requestId: 'quoted',
    });
    const [defect = {}, ...others] = service.log.lines.filter(
      ({ requestId, msg }) => requestId === 'quoted' && msg !== 'request',
    );
    expect(others).to.deep.equal([]);
    const { err, ...line } = withoutMoment(defect);
    expect(line).to.deep.equal({ level: 'error', requestId: 'quoted', msg: 'internal error' });
    expect(err).to.include({ type: 'SqliteError', message: 'no such table: pets' });
    expect((err as LogLine)['stack']).to.match(/^SqliteError: no such table: pets\n {4}at .*pet-store/);
  });

  it('is a warning while the store is unavailable, and the reason is logged once for many requests', async () => {
    await start();
    corruptDatabase(service);
    forgetKeys(service);
    const response = await request(service).get('/v1/pets').set('X-Request-Id', 'dead').expect(503);
    expect(await lineOf(response)).to.include({ level: 'warn', status: 503, errorCode: 'store_unavailable' });
    await lineOf(await request(service).get('/v1/pets').expect(503));
    const [outage = {}, ...others] = service.log.lines.filter(({ msg }) => msg !== 'request');
    expect(others).to.deep.equal([]);
    expect(outage).to.include({ level: 'warn', msg: 'storage outage' });
    expect(outage['detail']).to.match(
      /^petstore\.db has been unavailable since 2026-11-20T12:00:0\d\.\d{3}Z: .*SQLITE_CORRUPT/,
    );
  });

  it('states that the client disconnected before the response', async () => {
    await start();
    const connection = await RawConnection.open(service);
    const head =
      `Authorization: Bearer ${service.token}\r\nContent-Type: application/json\r\nContent-Length: 9\r\nX-Request-Id: ` +
      'gone';
    connection.send(`POST /v1/pets HTTP/1.1\r\nHost: x\r\n${head}\r\n\r\n{`);
    // After this response, the server has the head of the other request.
    await request(service).get('/v1/pets').expect(200);
    connection.reset();
    expect(withoutMoment(await service.log.ofRequest('gone'))).to.deep.equal({
      level: 'info',
      requestId: 'gone',
      method: 'POST',
      operationId: 'createPet',
      keyId: service.keyId,
      address: '127.0.0.1',
      aborted: true,
      msg: 'request',
    });
  });

  it('is written for malformed bytes, and for a request that fails a protocol check', async () => {
    await start();
    const { headers } = await sendRaw(service, 'nonsense\r\n\r\n');
    const [fault = {}] = await service.log.first(1, ({ msg }) => msg === 'malformed request');
    const common = { level: 'info', status: 400, errorCode: 'malformed_http', address: '127.0.0.1' };
    expect(withoutMoment(fault)).to.deep.equal({
      ...common,
      requestId: headers['x-request-id'],
      msg: 'malformed request',
    });
    const response = await sendRaw(service, 'GET /v1/pets HTTP/1.1\r\nX-Request-Id: hostless\r\n\r\n');
    expect(await lineOf(response)).to.deep.equal({
      ...{ ...common, requestId: 'hostless', method: 'GET', path: '/v1/pets', msg: 'request' },
    });
  });

  it('is written for health checks and metrics at the debug level only', async () => {
    await start({ LOG_LEVEL: 'debug' });
    const probed = await request(service, null).get('/readyz').set('X-Request-Id', 'probe').expect(200);
    const line = {
      requestId: 'probe',
      method: 'GET',
      path: '/readyz',
      status: 200,
      address: '127.0.0.1',
      msg: 'request',
    };
    expect(await lineOf(probed)).to.deep.equal({ level: 'debug', ...line });
    await service.close();
    await start();
    for (const path of ['/healthz', '/readyz']) await request(service, null).get(path).expect(200);
    await lineOf(await request(service, null).get('/'));
    expect(service.log.lines.map(({ path }) => path)).to.deep.equal(['/']);
  });

  it('is not written at the level warn for a successful request or a client error', async () => {
    await start({ LOG_LEVEL: 'warn' });
    await request(service).get('/v1/pets').expect(200);
    await request(service).get(unknownPath).expect(404);
    dropTable(service, 'pets');
    await lineOf(await request(service).get('/v1/pets').expect(500));
    expect(service.log.lines.map(({ msg, status }) => ({ msg, status }))).to.deep.equal([
      { msg: 'internal error', status: undefined },
      { msg: 'request', status: 500 },
    ]);
  });

  it('has the address that a trusted proxy reports, or that of the proxy if it is not an IP address', async () => {
    await start({ TRUST_PROXY: '1' });
    const forwarded = async (value: string) =>
      (await lineOf(await sendRaw(service, raw('/', `X-Forwarded-For: ${value}`))))['address'];
    expect(await forwarded('203.0.113.7')).to.equal('203.0.113.7');
    expect(await forwarded('203.0.113.7, 2001:db8::1')).to.equal('2001:db8::1');
    for (const value of [`"${service.token}"`, '\x9b31m"}{', 'x'.repeat(5000), `fe80::1%${'x'.repeat(5000)}`]) {
      expect(await forwarded(value)).to.equal('127.0.0.1');
    }
  });

  it('cannot be forged and contains no key, whatever a client sends', async () => {
    await start({ TRUST_PROXY: '1', LOG_LEVEL: 'debug' });
    const { token } = service;
    const hidden = Array.from(token, (character) => `%${character.charCodeAt(0).toString(16)}`).join('');
    const forged = '{"level":"error","msg":"forged"}';
    const attempts = [
      raw(
        `/v1/${token}?key=${token}`,
        `Authorization: Bearer ${token}`,
        `X-Request-Id: ${token}`,
        `traceparent: 00-${token}`,
      ),
      raw(`/v1/pets?limit=${token}&${token}=1`, `Authorization: Bearer ${token}`),
      raw(`/v1/pets/${hidden}`, `Authorization: ${token}`, `Cookie: ${token}`, `X-Forwarded-For: ${token}`),
      raw(`/${hidden}`, `traceparent: 00-${traceId}-${parentId}-01${forged}`, `Forwarded: for="${forged}"`),
      raw(`/%0a${encodeURIComponent(forged)}%0d%0a`, `X-Request-Id: ${encodeURIComponent(`\n${forged}`)}`),
      raw('/\x80\x9b31m\xe2\x80\xa8\xe2\x80\xaeabc', 'X-Request-Id: \x9b31m', 'traceparent: \xe2\x80\xa8'),
      raw(`http://${token}:8080/${token}/../${'x'.repeat(3000)}`),
      raw(`/\u0001${token}`),
      Buffer.from(`${token} / HTTP/1.1\r\n\r\n`),
      Buffer.from(`GET / HTTP/1.1\r\n${token}\r\n\r\n`),
    ];
    for (const attempt of attempts) await sendRaw(service, attempt);
    await lineOf(await request(service, null).get('/').set('X-Request-Id', 'last'));
    expect(service.log.text).to.match(/^[\x20-\x7e…\n]+$/);
    for (const text of [token, token.slice(-12), hidden.slice(-12), 'forged"}\n'])
      expect(service.log.text).to.not.contain(text);
    for (const line of service.log.lines) {
      expect(line['level']).to.equal('info');
      expect(JSON.stringify(line).length).to.be.below(700);
    }
    expect(readFileSync(join(service.directory, 'petstore.db')).includes(token)).to.equal(false);
  });
});

describe('readTraceparent', () => {
  const caller = `${traceId}-${parentId}`;

  it('returns the trace and the span of the caller, also of later versions with more fields', () => {
    for (const header of [`00-${caller}-01`, `00-${caller}-ff`, `01-${caller}-01`, `cc-${caller}-01-of-the-future`])
      expect(readTraceparent(header), header).to.deep.equal({ traceId, parentId });
  });

  it('ignores an invalid header', () => {
    const headers = [
      ...[undefined, [`00-${caller}-01`], '', '00', `00-${caller}`, `00-${caller}-1`, `00-${caller}-0g`],
      ...[`00-${caller}-01-more`, `00-${caller}-011`, `cc-${caller}-01.`, `ff-${caller}-01`, `0-${caller}-01`],
      ...[`00-${caller.toUpperCase()}-01`, `00-${'0'.repeat(32)}-${parentId}-01`, `00-${traceId}-${'0'.repeat(16)}-01`],
      ...[` 00-${caller}-01`, `00-${caller}-01\n`, `00-${caller}-01, 00-${caller}-01`],
    ];
    for (const header of headers) expect(readTraceparent(header), String(header)).to.equal(undefined);
  });
});
