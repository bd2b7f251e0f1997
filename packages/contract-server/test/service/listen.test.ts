import { once } from 'node:events';
import { request as sendRequest } from 'node:http';
import { connect } from 'node:net';
import { StartError } from '@contract-server/core/lib/errors.js';
import type { ContractTypes } from '@contract-server/core/types/types.js';
import { RawConnection, sendRaw } from '@contract-server/test-support/clients/raw-connection.js';
import { closeLater } from '@contract-server/test-support/closing.js';
import { place } from '@contract-server/test-support/contract/contract-errors.js';
import { ping, withoutPrefix } from '@contract-server/test-support/contract/ping-contracts.js';
import { errorOf } from '@contract-server/test-support/error-of.js';
import { expect } from 'chai';
import express, { type Express } from 'express';
import { createRouter, type ListeningServer, type ListenOptions, listen } from '#src/index.js';

describe('listen', () => {
  let app: Express;
  beforeEach(async () => {
    const { url } = place({ 'contract.yaml': withoutPrefix });
    app = express();
    app.use(await createRouter<ContractTypes>()({ contract: url, handlers: { ping } as object }));
  });
  const start = async (options: Partial<ListenOptions> = {}): Promise<ListeningServer> => {
    const listening = await listen(app, { port: 0, host: '127.0.0.1', ...options });
    closeLater(() => listening.server.close().closeAllConnections());
    return listening;
  };

  it('serves the router, and creates requests and responses with the prototypes of Express', async () => {
    const prototypes: unknown[] = [];
    app.get('/prototypes', (request, response) => {
      prototypes.push(Object.getPrototypeOf(request), Object.getPrototypeOf(response));
      response.end();
    });
    const { url } = await start();
    const response = await fetch(`${url}/ping`);
    expect([response.status, await response.json()]).to.deep.equal([200, {}]);
    expect(response.headers.get('x-request-id')).to.match(/./);
    await fetch(`${url}/prototypes`);
    expect(prototypes).to.deep.equal([app.request, app.response]);
  });

  it('ends the event streams of a router completely when it closes, long before the requests in progress', async () => {
    const contract = withoutPrefix.replace('application/json', 'text/event-stream');
    const { url: eventsUrl } = place({ 'contract.yaml': contract });
    let reason: unknown;
    // eslint-disable-next-line @typescript-eslint/require-await -- a stream that waits until it is aborted
    const watch = async (_request: unknown, { signal }: { readonly signal: AbortSignal }) => ({
      status: 200,
      body: (async function* () {
        yield { data: {} };
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        reason = signal.reason;
      })(),
    });
    const router = await createRouter<ContractTypes>()({ contract: eventsUrl, handlers: { ping: watch } as object });
    app = express().use(router);
    const { url, close } = await start({ drainTimeoutSeconds: 60 });
    const response = await fetch(`${url}/ping`);
    const closed = close();
    expect(await response.text()).to.equal('data: {}\n\n');
    await closed;
    expect(String(reason)).to.include('The server stops.');
  });

  it('leaves routes and middleware of the application as they are, also those of a mounted application', async () => {
    const admin = express().get('/:name', (request, response) => {
      response.json([request.app === admin, request.baseUrl, request.params.name, request.originalUrl]);
    });
    app.use('/admin', admin);
    app.use(express.json());
    app.post('/echo', (request, response) => {
      response.cookie('a', 'b').json([request.app === app, request.ip, request.get('x-a'), request.body as unknown]);
    });
    const { url } = await start();
    const headers = { 'Content-Type': 'application/json', 'X-A': 'b', Expect: '100-continue' };
    const sent = sendRequest(`${url}/echo`, { method: 'POST', headers });
    const continued = once(sent, 'continue');
    sent.flushHeaders();
    await continued;
    sent.end('{"c":1}');
    const [echoed] = (await once(sent, 'response')) as [AsyncIterable<Buffer> & { readonly headers: object }];
    let text = '';
    for await (const chunk of echoed) text += chunk.toString();
    expect(JSON.parse(text)).to.deep.equal([true, '127.0.0.1', 'b', { c: 1 }]);
    expect(echoed.headers).to.deep.include({ 'set-cookie': ['a=b; Path=/'], 'x-powered-by': 'Express' });
    const path = '/admin/%61%20b?c=%61';
    expect(await (await fetch(`${url}${path}`)).json()).to.deep.equal([true, '/admin', 'a b', path]);
    expect((await fetch(`${url}/nothing`)).status).to.equal(404);
  });

  it('leaves upgrades to their listeners', async () => {
    const { server } = await start();
    server.on('upgrade', (_request, socket) => socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n'));
    const head = 'GET /chat HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
    const connection = await RawConnection.open({ server }, head);
    await connection.whenEnded();
    expect(connection.rest).to.equal('HTTP/1.1 101 Switching Protocols\r\n\r\n');
  });

  it('returns errors of the API for malformed HTTP', async () => {
    const { server } = await start();
    for (const [request, status, code] of [
      ['nonsense\r\n\r\n', 400, 'malformed_http'],
      ['GET /ping HTTP/1.1\r\n\r\n', 400, 'malformed_http'],
      [`GET /ping HTTP/1.1\r\nHost: a\r\nX-Long: ${'a'.repeat(40_000)}\r\n\r\n`, 431, 'headers_too_large'],
      ['CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n', 501, 'not_implemented'],
    ] as const) {
      const response = await sendRaw({ server }, request);
      expect(response.status).to.equal(status);
      expect(JSON.parse(response.text)).to.include({ code, status });
    }
    const problems = await start({ errors: { body: ({ code }) => ({ title: code }) } });
    const { text } = await sendRaw(problems, 'nonsense\r\n\r\n');
    expect(JSON.parse(text)).to.deep.equal({ title: 'malformed_http' });
  });

  it('completes the requests in progress when it is closed, and closes their connections', async () => {
    const started = new EventTarget();
    let finish: (() => void) | undefined;
    app.get('/slow', (_request, response) => {
      finish = () => void response.send('done');
      started.dispatchEvent(new Event('started'));
    });
    const { server, close } = await start();
    const isStarted = once(started, 'started');
    const connection = await RawConnection.open({ server }, 'GET /slow HTTP/1.1\r\nHost: a\r\n\r\n');
    const idle = await RawConnection.open({ server }, 'GET /ping HTTP/1.1\r\nHost: a\r\n\r\n');
    expect((await idle.readResponse()).status).to.equal(200);
    await isStarted;
    const closed = close();
    const late = await RawConnection.open({ server }, 'GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n');
    expect((await late.readResponse()).headers).to.include({ connection: 'close' });
    await idle.whenEnded();
    finish?.();
    const { text, headers } = await connection.readResponse();
    expect([text, headers['connection']]).to.deep.equal(['done', 'close']);
    await connection.whenEnded();
    await closed;
    expect(server.listening).to.equal(false);
  });

  it('rejects if the port is in use, and does not limit the time of a route', async () => {
    const { server, url } = await start();
    expect([server.timeout, server.requestTimeout]).to.deep.equal([0, 300_000]);
    const { port } = new URL(url);
    const error = await errorOf(listen(app, { port: Number(port), host: '127.0.0.1' }));
    expect(error).to.be.instanceOf(StartError);
    expect(String(error)).to.equal(
      `StartError: Cannot listen on 127.0.0.1 port ${port}: listen EADDRINUSE: address already in use 127.0.0.1:${port}.`,
    );
  });

  it('listens on every address by default', async () => {
    const { url } = await start({ host: undefined as never });
    const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1' });
    closeLater(() => socket.destroy());
    await once(socket, 'connect');
    expect((await fetch(`${url}/ping`)).status).to.equal(200);
  });
});
