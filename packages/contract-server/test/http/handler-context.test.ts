import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { ContractDocument } from '@contract-server/core/contract/document.js';
import type { Caller, RequestMetadata } from '@contract-server/core/types/types.js';
import { RawConnection } from '@contract-server/test-support/clients/raw-connection.js';
import { toysContract } from '@contract-server/test-support/contract/toys-contract.js';
import { startComposed, validKey } from '@contract-server/test-support/servers/composed.js';
import { expect } from 'chai';
import supertest from 'supertest';
import { NoResponsePossible } from '#src/http/request-context.js';

interface Context extends RequestMetadata {
  readonly callers: Readonly<Record<string, Caller>>;
  readonly caller: Caller | undefined;
}
type Handle = (context: Context) => Promise<unknown>;

const content = { 'application/json': { schema: {} } };
const listPets = { operationId: 'listPets', responses: { 200: { description: 'Pets', content } } };
const optional = { ...listPets, operationId: 'countPets', security: [{}, { apiKey: [] }] };
const paths = { '/pets': { get: listPets }, '/count': { get: optional } };
const document = { ...toysContract.document, paths } as unknown as ContractDocument;
const authorization = { Authorization: 'Bearer valid' };

async function start(handle: Handle) {
  const handler = (_request: unknown, context: Context) => handle(context);
  const handlers = { listPets: handler, countPets: handler };
  return startComposed({ document, handlers, security: validKey(document, 'apiKey') });
}

/** Collects the connections of a server, on its side. */
function socketsOf(server: Server): readonly Socket[] {
  const sockets: Socket[] = [];
  server.on('connection', (socket: Socket) => sockets.push(socket));
  return sockets;
}

describe('the context of a handler', () => {
  it('has the callers by security scheme, the quota, the request id, the client address and links', async () => {
    const { server } = await start(({ callers, caller, quotaId, requestId, clientAddress, bodyBytes, links }) => {
      const values = { quotaId, requestId, clientAddress, bytes: bodyBytes.length };
      const url = links.to('listPets', {}, { limit: 1 });
      const body = {
        callers: Object.keys(callers),
        isOnly: caller === callers['apiKey'],
        id: caller?.id,
        ...values,
        url,
      };
      return Promise.resolve({ status: 200, body });
    });
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${String(port)}/v1/pets?limit=1`;
    const values = { requestId: 'a', clientAddress: '127.0.0.1', bytes: 0, isOnly: true, url };
    const response = await supertest(server).get('/v1/pets').set(authorization).set('X-Request-Id', 'a').expect(200);
    expect(response.body).to.deep.equal({ ...values, callers: ['apiKey'], id: 'key_app', quotaId: 'quota_app' });
    const anonymous = await supertest(server).get('/v1/count').set('X-Request-Id', 'a').expect(200);
    expect(anonymous.body).to.deep.equal({ ...values, callers: [] });
  });

  it('writes log lines with the request id', async () => {
    const { server, log } = await start(({ log }) => {
      log.warn({ pets: 3 }, 'few pets');
      log.info('sent');
      return Promise.resolve({ status: 200, body: [] });
    });
    await supertest(server).get('/v1/pets').set(authorization).set('X-Request-Id', 'order-1').expect(200);
    const lines = await log.first(2, ({ requestId, msg }) => requestId === 'order-1' && msg !== 'request');
    const time = '2026-11-20T12:00:00.000Z';
    expect(lines).to.deep.equal([
      { level: 'warn', time, requestId: 'order-1', pets: 3, msg: 'few pets' },
      { level: 'info', time, requestId: 'order-1', msg: 'sent' },
    ]);
  });
});

describe('the signal of a handler', () => {
  const message = 'GET /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer valid\r\n\r\n';
  const response = { status: 200, body: [] };

  for (const [how, disconnect] of [
    ['closes', 'end'],
    ['resets', 'reset'],
  ] as const)
    it(`is aborted if the client ${how} the connection, also behind another request, and no error is reported`, async () => {
      const signals: AbortSignal[] = [];
      let arrived: () => void = () => undefined;
      const both = new Promise<void>((resolve) => (arrived = resolve));
      const { server, reported } = await start(async ({ signal }) => {
        signals.push(signal);
        if (signals.length === 2) arrived();
        return delay(60_000, response, { signal });
      });
      const connection = await RawConnection.open({ server }, message.repeat(2));
      await both;
      expect(signals.map(({ aborted }) => aborted)).to.deep.equal([false, false]);
      const aborted = Promise.all(signals.map((signal) => once(signal, 'abort')));
      connection[disconnect]();
      await aborted;
      for (const { reason } of signals) expect(reason).to.be.instanceOf(NoResponsePossible);
      await supertest(server).get('/v1/none').expect(404);
      expect(reported).to.deep.equal([]);
    });

  it('is aborted if it is first read after the client has disconnected', async () => {
    let finish: (signal: AbortSignal) => void = () => undefined;
    const signal = new Promise<AbortSignal>((resolve) => (finish = resolve));
    let arrived: () => void = () => undefined;
    const called = new Promise<void>((resolve) => (arrived = resolve));
    const { server } = await start(async (context) => {
      const [socket] = sockets;
      arrived();
      await once(socket ?? expect.fail(), 'end');
      finish(context.signal);
      return response;
    });
    const sockets = socketsOf(server);
    const connection = await RawConnection.open({ server }, message);
    await called;
    connection.end();
    expect((await signal).aborted).to.equal(true);
  });

  it('is not aborted once the response was sent, and leaves no listener on the connection', async () => {
    const signals: AbortSignal[] = [];
    const { server } = await start(({ signal }) => {
      signals.push(signal);
      return Promise.resolve(response);
    });
    const sockets = socketsOf(server);
    const counts: number[] = [];
    server.on('request', () => counts.push(sockets[0]?.listenerCount('close') ?? NaN));
    const connection = await RawConnection.open({ server }, message);
    await connection.readResponse();
    connection.send(message);
    await connection.readResponse();
    const closed = once(sockets[0] ?? expect.fail(), 'close');
    connection.end();
    await closed;
    expect(signals.map(({ aborted }) => aborted)).to.deep.equal([false, false]);
    expect(counts[1]).to.equal(counts[0]);
  });
});
