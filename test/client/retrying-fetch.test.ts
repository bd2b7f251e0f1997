import { expect } from 'chai';
import { createClient } from '#src/client/create-client.js';
import { completeOptions } from '#src/client/options.js';
import { type PetstoreClientOptions, PetstoreError } from '#src/client/petstore-client.js';
import { createRetryingFetch, systemTime } from '#src/client/retrying-fetch.js';
import { errorOf } from '../support/error-of.js';
import { FakeTime } from '../support/fake-clock.js';
import { errorReply, reply, ScriptedServer } from '../support/servers/scripted-server.js';

const almostOne = 1 - Number.EPSILON;
const ok = reply(200, []);
const page = { pets: [], next: undefined };
const rex = { id: 1, name: 'Rex', categoryId: 7, status: 'available' };

describe('a retrying client', () => {
  let server: ScriptedServer;
  beforeEach(async () => {
    server = await ScriptedServer.start();
  });
  afterEach(() => server.close());

  const clientOf = (time = new FakeTime(), options: Partial<PetstoreClientOptions> = {}) =>
    createClient({ baseUrl: server.baseUrl, apiKey: 'pets_live_x', ...options }, time);
  const unavailable = (retryAfter: string) => errorReply(503, 'store_unavailable', { 'retry-after': retryAfter });

  it('waits a random time, which can double each time, and fails after six attempts', async () => {
    for (const [chance, waits] of [
      [0, [0, 0, 0, 0, 0]],
      [0.5, [0.25, 0.5, 1, 2, 4]],
    ] as const) {
      server.script = [errorReply(500, 'internal_error')];
      const time = new FakeTime(chance);
      expect(await errorOf(clientOf(time).listPets())).to.include({ code: 'internal_error', status: 500 });
      expect(time.waits).to.deep.equal(waits);
    }
    expect(server.received).to.have.lengthOf(12);
    const time = new FakeTime(almostOne);
    await errorOf(clientOf(time, { maxAttempts: 9 }).listPets());
    expect(time.waits.map(Math.ceil)).to.deep.equal([1, 1, 2, 4, 8, 8, 8, 8]);
  });

  it('waits for Retry-After plus a random time, also if it equals maxWaitSeconds', async () => {
    server.script = [unavailable('1'), unavailable('7'), unavailable('60'), ok];
    const time = new FakeTime(0.5);
    expect(await clientOf(time).listPets()).to.deep.equal(page);
    expect(time.waits).to.deep.equal([1.25, 7.5, 61]);
  });

  it('throws the error if Retry-After exceeds maxWaitSeconds', async () => {
    server.script = [errorReply(429, 'api_key_banned', { 'retry-after': '900' })];
    const time = new FakeTime();
    const failure = await errorOf(clientOf(time).listPets());
    expect(failure).to.include({ code: 'api_key_banned', status: 429, retryAfterSeconds: 900 });
    expect(time.waits).to.deep.equal([]);
    await clientOf(new FakeTime(0, () => (server.script = [ok])), { maxWaitSeconds: 900 }).listPets();
    server.script = [unavailable('1')];
    expect(await errorOf(clientOf(time, { maxWaitSeconds: 0 }).listPets())).to.include({ retryAfterSeconds: 1 });
  });

  it('ignores an invalid Retry-After', async () => {
    for (const value of ['-5', '1.5', 'soon', '1e3', 'Fri, 20 Nov 2026 12:00:00 GMT']) {
      server.received.length = 0;
      server.script = [unavailable(value), ok];
      const time = new FakeTime();
      await clientOf(time).listPets();
      expect(time.waits, value).to.deep.equal([0]);
    }
  });

  it('retries temporary errors, and no others', async () => {
    const passing = [408, 429, 500, 502, 503, 504];
    for (const status of [400, 401, 404, 405, 408, 409, 410, 413, 415, 422, 429, 431, 500, 501, 502, 503, 504]) {
      for (const response of [errorReply(status, 'some_code'), reply(status, '<html>')]) {
        server.received.length = 0;
        server.script = [response, ok];
        const result = await clientOf()
          .listPets()
          .then(
            () => 'resolved',
            (error: unknown) => (error as PetstoreError).status,
          );
        expect(result, String(status)).to.equal(passing.includes(status) ? 'resolved' : status);
        expect(server.received.length, String(status)).to.equal(passing.includes(status) ? 2 : 1);
      }
    }
  });

  it('retries a creation unchanged, with one idempotency key per creation', async () => {
    const inFlight = errorReply(409, 'idempotency_key_in_flight', { 'retry-after': '1' });
    server.script = [(response) => response.destroy(), inFlight, errorReply(503, 'server_busy'), reply(201, rex)];
    const client = clientOf();
    const pet = { name: 'Rex', categoryId: 2n ** 63n - 1n };
    expect(await client.createPet(pet)).to.deep.equal(rex);
    await client.createPet(pet);
    await client.createPet(pet, { idempotencyKey: 'mine' });
    const keys = server.received.map(({ headers }) => headers['idempotency-key']);
    expect(keys.slice(0, 4)).to.deep.equal(Array(4).fill(keys[0]));
    expect(keys[0]).to.match(/^[0-9a-f]{32}$/);
    expect(keys[4])
      .to.match(/^[0-9a-f]{32}$/)
      .and.not.equal(keys[0]);
    expect(keys[5]).to.equal('mine');
    for (const { body, headers } of server.received) {
      expect(body).to.equal('{"name":"Rex","categoryId":9223372036854775807}');
      expect(headers).to.include({ 'content-type': 'application/json', authorization: 'Bearer pets_live_x' });
    }
  });

  it('retries requests with an idempotent method, and others only with an idempotency key', async () => {
    const options = completeOptions({ baseUrl: server.baseUrl, apiKey: 'pets_live_x' });
    const send = createRetryingFetch(options, new FakeTime());
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'POST', 'PATCH']) {
      for (const headers of [{}, { 'Idempotency-Key': 'mine' }]) {
        server.received.length = 0;
        server.script = [unavailable('1'), reply(200, '')];
        const sent = send(new Request(`${server.baseUrl}/pets`, { method, headers }), '/pets');
        const isRepeatable = !['POST', 'PATCH'].includes(method) || 'Idempotency-Key' in headers;
        if (isRepeatable) expect(await sent, method).to.include({ status: 200 });
        else expect(await errorOf(sent), method).to.include({ code: 'store_unavailable' });
        expect(server.received, method).to.have.lengthOf(isRepeatable ? 2 : 1);
      }
    }
  });

  it('throws unexpected_response for a response that does not conform to the contract', async () => {
    const strange = [
      ...[
        reply(200, '<html>'),
        reply(200, ''),
        reply(200, 'null'),
        reply(200, {}),
        reply(200, [{ id: 1 }]),
        reply(204, ''),
      ],
      ...[reply(200, [{ ...rex, id: '1' }]), reply(200, [{ ...rex, categoryId: 1.5 }]), reply(200, [null])],
      reply(200, [], { link: '<https://a.example/>; rel="next"' }),
    ];
    for (const [index, response] of strange.entries()) {
      server.received.length = 0;
      server.script = [response];
      const failure = await errorOf(clientOf().listPets());
      expect(failure, String(index)).to.include({ name: 'PetstoreError', code: 'unexpected_response' });
      expect(server.received).to.have.lengthOf(1);
    }
    server.script = [reply(502, '<html>', { 'x-request-id': 'abc', 'retry-after': '61' })];
    const failure = await errorOf(clientOf().listPets());
    expect(failure).to.include({ code: 'unexpected_response', status: 502, requestId: 'abc', retryAfterSeconds: 61 });
  });

  it('decides by the status about codes that it does not know', async () => {
    server.script = [errorReply(418, 'teapot')];
    expect(await errorOf(clientOf().listPets())).to.include({ code: 'teapot', status: 418 });
    server.script = [reply(404, { code: 'pet_not_found', message: 'Gone.', status: 410 })];
    expect(await errorOf(clientOf().listPets())).to.include({ code: 'unexpected_response', status: 404 });
  });

  it('retries without a response, after a partial response, and after a timeout', async () => {
    server.script = [
      (response) => response.destroy(),
      (response) => response.writeHead(200, { 'content-length': '100' }).write('[', () => response.destroy()),
      (response) => response.writeHead(200).write('['),
      () => undefined,
      ok,
    ];
    expect(await clientOf(new FakeTime(), { timeoutSeconds: 0.2 }).listPets()).to.deep.equal(page);
    expect(server.received).to.have.lengthOf(5);
    server.script = [() => undefined];
    const failure = await errorOf(clientOf(new FakeTime(), { timeoutSeconds: 0.05, maxAttempts: 2 }).listPets());
    expect(failure).to.include({ code: 'network_failure', status: undefined });
    expect(failure).to.have.nested.property('cause.name', 'TimeoutError');
  });

  it('is aborted by the caller before the request, during it, and while it waits', async () => {
    const reason = new Error('The user left.');
    const expectAborted = (failure: unknown) => {
      expect(failure).to.include({ name: 'PetstoreError', code: 'aborted', status: undefined, cause: reason });
    };
    expectAborted(await errorOf(clientOf().listPets({}, { signal: AbortSignal.abort(reason) })));
    expectAborted(
      await errorOf(
        clientOf(undefined, { signal: AbortSignal.abort(reason) })
          .pets()
          .next(),
      ),
    );
    expect(server.received).to.deep.equal([]);

    const during = new AbortController();
    server.script = [() => during.abort(reason)];
    expectAborted(await errorOf(clientOf().createPet({ name: 'Rex', categoryId: 7 }, { signal: during.signal })));

    const waiting = new AbortController();
    server.script = [unavailable('60')];
    const time = Object.assign(new FakeTime(), {
      sleep: (ms: number, signal: AbortSignal) => {
        queueMicrotask(() => waiting.abort(reason));
        return systemTime.sleep(ms, signal);
      },
    });
    expectAborted(await errorOf(clientOf(time, { signal: waiting.signal }).listPets()));
    expect(server.received).to.have.lengthOf(2);
  });
});

describe('the system time of a client', () => {
  it('is that of the system clock', async () => {
    const { signal } = new AbortController();
    const start = performance.now();
    await systemTime.sleep(20, signal);
    expect(performance.now() - start).to.be.at.least(19);
    expect(systemTime.random()).to.be.within(0, 1);
    await systemTime.sleep(2 ** 40, AbortSignal.abort());
  });
});
