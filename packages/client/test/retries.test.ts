import { requestTo, version } from '@contract-server/test-support/clients/scripted-client.js';
import { errorOf } from '@contract-server/test-support/error-of.js';
import { FakeTime } from '@contract-server/test-support/fake-clock.js';
import {
  errorReply,
  noReply,
  reply,
  useScriptedServer,
} from '@contract-server/test-support/servers/scripted-server.js';
import { expect } from 'chai';
import { type ClientOptions, systemTime } from '#dist/index.js';
import { completeOptions } from '#dist/options.js';
import { createRetryingFetch } from '#dist/retrying-fetch.js';

const almostOne = 1 - Number.EPSILON;
const ok = reply(200, []);
const unavailable = (retryAfter: string) => errorReply(503, 'store_unavailable', { 'retry-after': retryAfter });

describe('a retrying client', () => {
  const server = useScriptedServer();

  const list = async (options: Partial<ClientOptions> = {}, time = new FakeTime()) =>
    (await requestTo(server, options, time)('get', '/toys')).data;

  for (const [chance, maxAttempts, waits] of [
    [0, undefined, [0, 0, 0, 0, 0]],
    [0.5, undefined, [0.25, 0.5, 1, 2, 4]],
    [almostOne, 9, [1, 1, 2, 4, 8, 8, 8, 8]],
  ] as const)
    it(`waits a random time, which can double each time up to 8 s, and then fails: ${waits.join()}`, async () => {
      server.script(errorReply(500, 'internal_error'));
      const time = new FakeTime(chance);
      const failure = await errorOf(list({ maxAttempts }, time));
      expect(failure).to.include({ code: 'internal_error', status: 500 });
      expect(server.received).to.have.lengthOf(waits.length + 1);
      expect(time.waits.map((seconds) => (chance === almostOne ? Math.ceil(seconds) : seconds))).to.deep.equal(waits);
    });

  it('waits for Retry-After plus a random time, also if it equals maxWaitSeconds, and ignores an invalid one', async () => {
    const invalid = ['-5', '1.5', 'soon', 'Fri, 20 Nov 2026 12:00:00 GMT'];
    server.script(...['1', '7', '60', ...invalid].map(unavailable), ok);
    const time = new FakeTime(0.5);
    expect(await list({ maxAttempts: 9 }, time)).to.deep.equal([]);
    expect(time.waits).to.deep.equal([1.25, 7.5, 61, 2, 4, 4, 4]);
  });

  it('throws the error if Retry-After exceeds maxWaitSeconds', async () => {
    for (const [retryAfter, maxWaitSeconds] of Object.entries({ 61: undefined, 1: 0, 901: 900 })) {
      server.script(errorReply(429, 'api_key_banned', { 'retry-after': retryAfter }));
      const time = new FakeTime();
      const failure = await errorOf(list({ maxWaitSeconds }, time));
      expect(failure).to.include({ code: 'api_key_banned', status: 429, retryAfterSeconds: Number(retryAfter) });
      expect(time.waits).to.deep.equal([]);
    }
  });

  it('retries temporary errors, and no others', async () => {
    const temporary = [408, 429, 500, 502, 503, 504];
    for (const status of [...temporary, 400, 401, 404, 405, 409, 410, 413, 415, 422, 431, 501]) {
      for (const response of [errorReply(status, 'some_code'), reply(status, '<html>')]) {
        server.script(response, ok);
        const call = list();
        if (temporary.includes(status)) expect(await call).to.deep.equal([]);
        else expect(await errorOf(call)).to.have.property('status', status);
      }
    }
  });

  it('retries a creation with an idempotency key unchanged', async () => {
    const inFlight = errorReply(409, 'idempotency_key_in_flight', { 'retry-after': '1' });
    server.script(noReply, inFlight, errorReply(503, 'server_busy'), reply(201, { id: 1 }));
    const creation = {
      params: { header: { 'Idempotency-Key': 'mine' } },
      body: { name: 'Block', weight: 2n ** 63n - 1n },
    };
    expect((await requestTo(server)('post', '/toys', creation)).data).to.deep.equal({ id: 1 });
    expect(server.received).to.have.lengthOf(4);
    const sent = { 'idempotency-key': 'mine', 'user-agent': `toys-client/${version}` };
    for (const { body, headers } of server.received) {
      expect(body).to.equal('{"name":"Block","weight":9223372036854775807}');
      expect(headers).to.include({ 'content-type': 'application/json', ...sent });
    }
  });

  it('retries requests with an idempotent method, and others only with an idempotency key', async () => {
    const send = createRetryingFetch(completeOptions({ baseUrl: server.baseUrl }), new FakeTime());
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'POST', 'PATCH']) {
      for (const headers of [{}, { 'Idempotency-Key': 'mine' }]) {
        server.script(unavailable('1'), reply(200, ''));
        const sent = send(new Request(`${server.baseUrl}/toys`, { method, headers }), '/toys');
        const isRepeatable = !['POST', 'PATCH'].includes(method) || 'Idempotency-Key' in headers;
        if (isRepeatable) expect(await sent, method).to.include({ status: 200 });
        else expect(await errorOf(sent), method).to.include({ code: 'store_unavailable' });
        expect(server.received, method).to.have.lengthOf(isRepeatable ? 2 : 1);
      }
    }
  });

  it('retries without a response, after a partial response, and after a timeout', async () => {
    server.script(
      noReply,
      (response) => response.writeHead(200, { 'content-length': '100' }).write('[', () => response.destroy()),
      (response) => response.writeHead(200).write('['),
      () => undefined,
      ok,
    );
    expect(await list({ timeoutSeconds: 0.2 })).to.deep.equal([]);
    expect(server.received).to.have.lengthOf(5);
    server.script(() => undefined);
    const failure = await errorOf(list({ timeoutSeconds: 0.0501, maxAttempts: 2 }));
    expect(failure).to.include({ code: 'network_failure', status: undefined });
    expect(failure).to.have.nested.property('cause.name', 'TimeoutError');
  });

  it('is aborted by the caller before the request, during it, and while it waits', async () => {
    const reason = new Error('The user left.');
    const aborted = { name: 'ClientError', code: 'aborted', status: undefined, cause: reason };
    const signal = AbortSignal.abort(reason);
    expect(await errorOf(requestTo(server)('get', '/toys', { signal }))).to.include(aborted);
    expect(await errorOf(list({ signal }))).to.include(aborted);
    expect(server.received).to.deep.equal([]);

    const during = new AbortController();
    server.script(() => during.abort(reason));
    const creation = requestTo(server)('post', '/toys', { body: { name: 'Block' }, signal: during.signal });
    expect(await errorOf(creation)).to.include(aborted);

    const waiting = new AbortController();
    server.script(unavailable('60'));
    const sleep = (ms: number, signal: AbortSignal) => {
      queueMicrotask(() => waiting.abort(reason));
      return systemTime.sleep(ms, signal);
    };
    const time = Object.assign(new FakeTime(), { sleep });
    expect(await errorOf(list({ signal: waiting.signal }, time))).to.include(aborted);
    expect(server.received).to.have.lengthOf(1);
  });
});

describe('the system time of a client', () => {
  it('waits in real time, unless the call was aborted', async () => {
    const start = performance.now();
    await systemTime.sleep(20, new AbortController().signal);
    expect(performance.now() - start).to.be.at.least(19);
    await systemTime.sleep(2 ** 40, AbortSignal.abort());
  });
});
