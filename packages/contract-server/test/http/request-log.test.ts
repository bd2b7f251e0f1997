import { RawConnection, sendRaw } from '@contract-server/test-support/clients/raw-connection.js';
import {
  creationHead,
  host,
  json,
  message,
  toy,
  unknownPath,
} from '@contract-server/test-support/clients/raw-requests.js';
import { dropTable } from '@contract-server/test-support/fault-injection.js';
import { type LogLine, withoutMoment } from '@contract-server/test-support/log-lines.js';
import { request, startToys, useNewToys } from '@contract-server/test-support/servers/toys.js';
import { expect } from 'chai';
import { createToken } from '#src/api-keys/token.js';

const common = { level: 'info', address: '127.0.0.1', msg: 'request' };

describe('the log line of a request', () => {
  const service = useNewToys();
  const restart = async (env: Readonly<Record<string, string>>) => Object.assign(service, await startToys(env));

  /** The line of the request with this response. */
  const lineOf = async (response: { readonly headers: unknown }): Promise<LogLine> => {
    const id = (response.headers as Readonly<Record<string, string>>)['x-request-id'];
    return withoutMoment(await service.log.ofRequest(id));
  };
  const raw = (target: string, ...headers: string[]) =>
    Buffer.from(message([`GET ${target} HTTP/1.1`, host, ...headers]), 'latin1');

  it('has the method, the operation, the client and the result', async () => {
    await request(service).post('/v1/toys').set('X-Request-Id', 'order-1').type('json').send(toy).expect(201);
    const { time, durationMs, ...line } = await service.log.ofRequest('order-1');
    expect(line).to.deep.equal({
      ...{ ...common, requestId: 'order-1', callerId: service.keyId },
      ...{ method: 'POST', operationId: 'createToy', status: 201 },
    });
    expect(time).to.equal('2026-11-20T12:00:00.000Z');
    expect(durationMs).to.be.a('number').within(0, 10_000);
  });

  it('has the error code, the caller with a valid key, and the path if no operation matches', async () => {
    const notFound = { status: 404, errorCode: 'route_not_found' };
    const { token, keyId: callerId } = service;
    const unknown = createToken('toys_live_');
    for (const [method, target, sent, line] of [
      ['get', '/v1/toys', null, { operationId: 'listToys', status: 401, errorCode: 'missing_api_key' }],
      ['get', '/v1/toys', unknown, { operationId: 'listToys', status: 401, errorCode: 'invalid_api_key' }],
      [
        'get',
        '/v1/toys?limit=0',
        token,
        { operationId: 'listToys', status: 400, errorCode: 'invalid_request', callerId },
      ],
      ['get', unknownPath, null, { path: unknownPath, ...notFound }],
      ['get', '/favicon.ico?x=1', null, { path: '/favicon.ico', ...notFound }],
      ['get', '/%66avicon%2Eico', null, { path: '/favicon.ico', ...notFound }],
      ['propfind', '/v1/toys', null, { path: '/v1/toys', status: 405, errorCode: 'method_not_allowed' }],
      ['get', '/openapi.yaml', null, { path: '/openapi.yaml', status: 200 }],
    ] as const) {
      const { requestId: _requestId, ...actual } = await lineOf(await request(service, sent)[method](target));
      expect(actual).to.deep.equal({ ...common, method: method.toUpperCase(), ...line });
    }
  });

  it('has the X-Request-Id of a 500, as the log line of the error with its stack has', async () => {
    dropTable(service, 'toys');
    const response = await request(service).get('/v1/toys').set('X-Request-Id', 'quoted').expect(500);
    expect(await lineOf(response)).to.include({ level: 'error', status: 500, errorCode: 'internal_error' });
    const lines = service.log.lines.filter(({ requestId }) => requestId === 'quoted');
    expect(lines.map(({ msg }) => msg)).to.deep.equal(['internal error', 'request']);
    const { level, err } = lines[0] as { readonly level: string; readonly err: { readonly stack: string } };
    expect(level).to.equal('error');
    expect(err.stack).to.match(/^SqliteError: no such table: toys\n {4}at .*toys/);
  });

  it('states that the client disconnected before the response', async () => {
    const head = creationHead(service, json, 'Content-Length: 9', 'X-Request-Id: gone');
    const connection = await RawConnection.open(service, head);
    // After this response, the server has the head of the other request.
    await request(service).get('/v1/toys').expect(200);
    connection.reset();
    expect(withoutMoment(await service.log.ofRequest('gone'))).to.deep.equal({
      ...{ ...common, requestId: 'gone', callerId: service.keyId },
      ...{ method: 'POST', operationId: 'createToy', aborted: true },
    });
  });

  it('is written for malformed bytes, and for a request that fails a protocol check', async () => {
    const malformed = { ...common, status: 400, errorCode: 'malformed_http' };
    const { headers } = await sendRaw(service, 'nonsense\r\n\r\n');
    const [line = {}] = await service.log.first(1, ({ msg }) => msg === 'malformed request');
    const requestId = headers['x-request-id'];
    expect(withoutMoment(line)).to.deep.equal({ ...malformed, requestId, msg: 'malformed request' });
    const response = await sendRaw(service, message(['GET /v1/toys HTTP/1.1', 'X-Request-Id: hostless']));
    const expected = { ...malformed, requestId: 'hostless', method: 'GET', path: '/v1/toys' };
    expect(await lineOf(response)).to.deep.equal(expected);
  });

  it('is written for health checks at the debug level only, and at the level warn for a 500 or 503 only', async () => {
    for (const path of ['/healthz', '/readyz']) await request(service, null).get(path).expect(200);
    await lineOf(await request(service, null).get('/'));
    expect(service.log.lines.map(({ path }) => path)).to.deep.equal(['/']);
    await restart({ LOG_LEVEL: 'debug' });
    const line = await lineOf(await request(service, null).get('/readyz').expect(200));
    expect(line).to.include({ level: 'debug', method: 'GET', path: '/readyz', status: 200 });
    await restart({ LOG_LEVEL: 'warn' });
    await request(service).get('/v1/toys').expect(200);
    await request(service).get(unknownPath).expect(404);
    dropTable(service, 'toys');
    await lineOf(await request(service).get('/v1/toys').expect(500));
    expect(service.log.lines.map(({ msg }) => msg)).to.deep.equal(['internal error', 'request']);
  });

  it('cannot be forged and contains no key, whatever a client sends', async () => {
    await restart({ TRUST_PROXY: '1', LOG_LEVEL: 'debug' });
    const { token } = service;
    const hidden = Array.from(token, (character) => `%${character.charCodeAt(0).toString(16)}`).join('');
    const forged = '{"level":"error","msg":"forged"}';
    const identified = [`Authorization: Bearer ${token}`, `X-Request-Id: ${token}`, `Forwarded: for=${token}`];
    const attempts = [
      raw(`/v1/${token}?key=${token}`, ...identified),
      raw(`/v1/toys?limit=${token}&${token}=1`, `Authorization: Bearer ${token}`),
      raw(`/v1/toys/${hidden}`, `Authorization: ${token}`, `Cookie: ${token}`, `X-Forwarded-For: ${token}`),
      raw(`/${hidden}`, `Forwarded: for="${forged}"`),
      raw(`/%0a${encodeURIComponent(forged)}%0d%0a`, `X-Request-Id: ${encodeURIComponent(`\n${forged}`)}`),
      raw('/\x80\x9b31m\xe2\x80\xa8\xe2\x80\xaeabc', 'X-Request-Id: \x9b31m'),
      raw(`http://${token}:8080/${token}/../${'x'.repeat(3000)}`),
      raw(`/\u0001${token}`),
      ...[`${token} / HTTP/1.1\r\n\r\n`, `GET / HTTP/1.1\r\n${token}\r\n\r\n`].map((text) => Buffer.from(text)),
    ];
    for (const attempt of attempts) await sendRaw(service, attempt);
    await lineOf(await request(service, null).get('/').set('X-Request-Id', 'last'));
    expect(service.log.text).to.match(/^[\x20-\x7e…\n]+$/);
    for (const text of [token, token.slice(-12), hidden.slice(-12), 'forged"}\n'])
      expect(service.log.text).to.not.contain(text);
    for (const line of service.log.lines) {
      // Besides the requests, one warning that the proxy does not send client addresses.
      expect(line['level']).to.equal(/request$/.test(String(line.msg)) ? 'info' : 'warn');
      expect(JSON.stringify(line).length).to.be.below(700);
    }
  });
});
