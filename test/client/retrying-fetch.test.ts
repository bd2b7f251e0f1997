import { expect } from 'chai';
import { completeOptions } from '#contract-server/client/options.js';
import { createRetryingFetch } from '#contract-server/client/retrying-fetch.js';
import { systemTime } from '#contract-server/client/time.js';
import { errorOf } from '#contract-server-test/support/error-of.js';
import { FakeTime } from '#contract-server-test/support/fake-clock.js';
import { settings } from '#src/client/settings.js';
import { contract } from '../support/pet-store.js';
import { errorReply, noReply, reply, useScriptedServer } from '../support/servers/scripted-server.js';

const almostOne = 1 - Number.EPSILON;
const ok = reply(200, []);
const page = { pets: [], next: undefined };
const rex = { id: 1, name: 'Rex', categoryId: 7, status: 'available' };
const unavailable = (retryAfter: string) => errorReply(503, 'store_unavailable', { 'retry-after': retryAfter });

describe('a retrying client', () => {
  const server = useScriptedServer();

  for (const [chance, maxAttempts, waits] of [
    [0, undefined, [0, 0, 0, 0, 0]],
    [0.5, undefined, [0.25, 0.5, 1, 2, 4]],
    [almostOne, 9, [1, 1, 2, 4, 8, 8, 8, 8]],
  ] as const)
    it(`waits a random time, which can double each time up to 8 s, and then fails: ${waits.join()}`, async () => {
      server.script(errorReply(500, 'internal_error'));
      const time = new FakeTime(chance);
      const failure = await errorOf(server.client({ maxAttempts }, time).listPets());
      expect(failure).to.include({ code: 'internal_error', status: 500 });
      expect(server.received).to.have.lengthOf(waits.length + 1);
      expect(time.waits.map((seconds) => (chance === almostOne ? Math.ceil(seconds) : seconds))).to.deep.equal(waits);
    });

  it('waits for Retry-After plus a random time, also if it equals maxWaitSeconds, and ignores an invalid one', async () => {
    const invalid = ['-5', '1.5', 'soon', 'Fri, 20 Nov 2026 12:00:00 GMT'];
    server.script(...['1', '7', '60', ...invalid].map(unavailable), ok);
    const time = new FakeTime(0.5);
    expect(await server.client({ maxAttempts: 9 }, time).listPets()).to.deep.equal(page);
    expect(time.waits).to.deep.equal([1.25, 7.5, 61, 2, 4, 4, 4]);
  });

  it('throws the error if Retry-After exceeds maxWaitSeconds', async () => {
    for (const [retryAfter, maxWaitSeconds] of Object.entries({ 61: undefined, 1: 0, 901: 900 })) {
      server.script(errorReply(429, 'api_key_banned', { 'retry-after': retryAfter }));
      const time = new FakeTime();
      const failure = await errorOf(server.client({ maxWaitSeconds }, time).listPets());
      expect(failure).to.include({ code: 'api_key_banned', status: 429, retryAfterSeconds: Number(retryAfter) });
      expect(time.waits).to.deep.equal([]);
    }
  });

  it('retries temporary errors, and no others', async () => {
    const temporary = [408, 429, 500, 502, 503, 504];
    for (const status of [...temporary, 400, 401, 404, 405, 409, 410, 413, 415, 422, 431, 501]) {
      for (const response of [errorReply(status, 'some_code'), reply(status, '<html>')]) {
        server.script(response, ok);
        const call = server.client().listPets();
        if (temporary.includes(status)) expect(await call).to.deep.equal(page);
        else expect(await errorOf(call)).to.have.property('status', status);
      }
    }
  });

  it('retries a creation unchanged, with one idempotency key per creation', async () => {
    const inFlight = errorReply(409, 'idempotency_key_in_flight', { 'retry-after': '1' });
    server.script(noReply, inFlight, errorReply(503, 'server_busy'), reply(201, rex));
    const client = server.client();
    const pet = { name: 'Rex', categoryId: 2n ** 63n - 1n };
    expect(await client.createPet(pet)).to.deep.equal(rex);
    await client.createPet(pet);
    await client.createPet(pet, { idempotencyKey: 'mine' });
    const [first, ...keys] = server.received.map(({ headers }) => headers['idempotency-key']);
    expect(keys).to.deep.equal([first, first, first, keys[3], 'mine']);
    for (const key of [first, keys[3]]) expect(key).to.match(/^[0-9a-f]{32}$/);
    expect(keys[3]).not.to.equal(first);
    const userAgent = `petstore-client/${contract.document.info.version}`;
    for (const { body, headers } of server.received) {
      expect(body).to.equal('{"name":"Rex","categoryId":9223372036854775807}');
      expect(headers).to.include({ 'content-type': 'application/json', 'user-agent': userAgent });
    }
  });

  it('retries requests with an idempotent method, and others only with an idempotency key', async () => {
    const send = createRetryingFetch(completeOptions({ baseUrl: server.baseUrl }, settings), new FakeTime());
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'POST', 'PATCH']) {
      for (const headers of [{}, { 'Idempotency-Key': 'mine' }]) {
        server.script(unavailable('1'), reply(200, ''));
        const sent = send(new Request(`${server.baseUrl}/pets`, { method, headers }), '/pets');
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
    expect(await server.client({ timeoutSeconds: 0.2 }).listPets()).to.deep.equal(page);
    expect(server.received).to.have.lengthOf(5);
    server.script(() => undefined);
    const failure = await errorOf(server.client({ timeoutSeconds: 0.0501, maxAttempts: 2 }).listPets());
    expect(failure).to.include({ code: 'network_failure', status: undefined });
    expect(failure).to.have.nested.property('cause.name', 'TimeoutError');
  });

  it('is aborted by the caller before the request, during it, and while it waits', async () => {
    const reason = new Error('The user left.');
    const aborted = { name: 'PetstoreError', code: 'aborted', status: undefined, cause: reason };
    const signal = AbortSignal.abort(reason);
    expect(await errorOf(server.client().listPets({}, { signal }))).to.include(aborted);
    expect(await errorOf(server.client({ signal }).pets().next())).to.include(aborted);
    expect(server.received).to.deep.equal([]);

    const during = new AbortController();
    server.script(() => during.abort(reason));
    const creation = server.client().createPet({ name: 'Rex', categoryId: 7 }, { signal: during.signal });
    expect(await errorOf(creation)).to.include(aborted);

    const waiting = new AbortController();
    server.script(unavailable('60'));
    const sleep = (ms: number, signal: AbortSignal) => {
      queueMicrotask(() => waiting.abort(reason));
      return systemTime.sleep(ms, signal);
    };
    const time = Object.assign(new FakeTime(), { sleep });
    expect(await errorOf(server.client({ signal: waiting.signal }, time).listPets())).to.include(aborted);
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
