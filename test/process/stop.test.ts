import { get } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { type Acknowledged, CreatingClient } from '../support/clients/creating-client.js';
import { RawConnection } from '../support/clients/raw-connection.js';
import { withoutMoment } from '../support/log-lines.js';
import { createUnlimitedKey, ServerProcess } from '../support/servers/server-process.js';
import { readStoredPets } from '../support/sqlite/stored-pets.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const body = '{"name":"Rex","categoryId":7}';

/**
 * The service accepts connections for one more second, and then has 6 s for requests in flight; with clients that
 * honour `Connection: close`, it stops long before.
 */
const stopMs = 4000;

function isListening(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host)
      .once('connect', () => {
        socket.destroy();
        resolve(true);
      })
      .once('error', () => resolve(false));
  });
}

function uploadHead(token: string): string {
  const length = `Content-Type: application/json\r\nContent-Length: ${String(body.length)}\r\n`;
  return `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n${length}\r\n`;
}

/** The end of a request on a new connection: the status of the response, or the error code. */
function statusOf(server: ServerProcess, target: string): Promise<number | string> {
  return new Promise((resolve) => {
    get(new URL(target, server.baseUrl), { agent: false }, (response) =>
      resolve(response.resume().statusCode ?? NaN),
    ).once('error', ({ code = '' }: NodeJS.ErrnoException) => resolve(code));
  });
}

describe('SIGTERM', () => {
  it('loses no request under load, closes every connection, and exits with 0, five times in a row', async function () {
    this.timeout(60_000);
    const directory = temporaryDirectory();
    const acknowledged: Acknowledged[] = [];
    for (let round = 1; round <= 5; round += 1) {
      const server = await ServerProcess.start({ DATA_DIR: directory });
      const token = await createUnlimitedKey(directory);
      let count = 0;
      let stoppedAt = 0;
      const stopAfterAWhile = () => {
        count += 1;
        if (count !== 100 * round) return;
        stoppedAt = performance.now();
        server.kill('SIGTERM');
      };
      const clients = Array.from(
        { length: 8 },
        (_, index) => new CreatingClient(`${String(round)}-${String(index)}`, server.baseUrl, token, stopAfterAWhile),
      );
      await Promise.all(clients.map((client) => client.run()));
      expect(await server.ended).to.deep.equal({ code: 0, signal: null });
      expect(performance.now() - stoppedAt).to.be.below(stopMs);
      expect(server.alarms).to.deep.equal([]);
      expect(clients.filter(({ receivedConnectionClose }) => !receivedConnectionClose)).to.deep.equal([]);
      acknowledged.push(...clients.flatMap((client) => client.acknowledged));
    }
    expect([...readStoredPets(directory).values()]).to.have.deep.members(acknowledged);
  });

  it('completes requests and uploads in progress, closes idle connections, and accepts no new ones', async () => {
    const server = await ServerProcess.start({ DATA_DIR: temporaryDirectory() });
    await server.waitForStderr(/curl .+\n/);
    const { hostname, port } = new URL(server.baseUrl);
    const open = () => RawConnection.openTo({ address: hostname, port: Number(port) });
    const [silent, idle, uploading] = [await open(), await open(), await open()];
    const head = `Host: x\r\nAuthorization: Bearer ${String(server.firstKey)}\r\n`;
    const get = `GET /v1/pets HTTP/1.1\r\n${head}\r\n`;
    idle.send(get);
    expect((await idle.readResponse()).headers).to.include({ connection: 'keep-alive' });
    uploading.send(
      `POST /v1/pets HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: 29\r\n\r\n{"name":"Rex",`,
    );
    // The server reads connections in turn: after this response, it has the head of the upload.
    idle.send(get);
    await idle.readResponse();

    const stoppedAt = performance.now();
    server.kill('SIGTERM');
    await server.waitForLog(/"msg":"stopping"/);
    idle.send(get);
    const last = await idle.readResponse();
    expect({ status: last.status, connection: last.headers['connection'] }).to.deep.equal({
      status: 200,
      connection: 'close',
    });
    while (await isListening(hostname, Number(port))) await delay(10);
    await silent.whenEnded();
    expect(silent.rest).to.equal('');
    uploading.send('"categoryId":7}');
    const created = await uploading.readResponse();
    expect({ status: created.status, connection: created.headers['connection'] }).to.deep.equal({
      status: 201,
      connection: 'close',
    });
    expect(await server.ended).to.deep.equal({ code: 0, signal: null });
    expect(performance.now() - stoppedAt).to.be.below(stopMs);
  });

  it('completes although clients keep connecting, and loses no earlier request', async () => {
    const server = await ServerProcess.start({ DATA_DIR: temporaryDirectory() });
    const lost: (number | string)[] = [];
    let count = 0;
    let stoppedAt = Infinity;
    const connectAgainAndAgain = async () => {
      for (let status: number | string = 200; status !== 'ECONNREFUSED'; ) {
        const isEarly = stoppedAt === Infinity;
        status = await statusOf(server, '/healthz');
        if (isEarly && status !== 200) lost.push(status);
        count += 1;
        if (count !== 200) continue;
        stoppedAt = performance.now();
        server.kill('SIGTERM');
      }
    };
    await Promise.all(Array.from({ length: 16 }, connectAgainAndAgain));
    expect(await server.ended).to.deep.equal({ code: 0, signal: null });
    expect(performance.now() - stoppedAt).to.be.below(stopMs);
    expect(lost).to.deep.equal([]);
  });

  it('waits for a client that does not finish until DRAIN_TIMEOUT_SECONDS', async () => {
    const server = await ServerProcess.start({ DATA_DIR: temporaryDirectory(), DRAIN_TIMEOUT_SECONDS: '1' });
    await server.waitForStderr(/curl .+\n/);
    const { hostname, port } = new URL(server.baseUrl);
    const unfinished = await RawConnection.openTo({ address: hostname, port: Number(port) });
    unfinished.send('GET /v1/pets HTTP/1.1\r\nHost: x\r\n');
    await fetch(`${server.baseUrl}/pets`);
    const stoppedAt = performance.now();
    expect(await server.stop()).to.deep.equal({ code: 0, signal: null });
    expect(performance.now() - stoppedAt).to.be.within(2000, 5000);
  });

  it('does not wait for idle connections', async () => {
    const server = await ServerProcess.start({ DATA_DIR: temporaryDirectory() });
    await fetch(`${server.baseUrl}/pets`);
    const startedAt = performance.now();
    expect(await server.stop()).to.deep.equal({ code: 0, signal: null });
    expect(performance.now() - startedAt).to.be.below(stopMs);
  });

  it('exits immediately on a second signal', async () => {
    const server = await ServerProcess.start({ DATA_DIR: temporaryDirectory() });
    await server.waitForStderr(/curl .+\n/);
    // A request whose body never ends keeps the service from stopping by itself.
    const controller = new AbortController();
    const body = new ReadableStream({ start: (stream) => stream.enqueue(Buffer.from('{')) });
    const headers = { authorization: `Bearer ${String(server.firstKey)}`, 'content-type': 'application/json' };
    const pending = fetch(`${server.baseUrl}/pets`, {
      method: 'POST',
      headers,
      body,
      duplex: 'half',
      signal: controller.signal,
    });
    const result = pending.then(
      () => 'completed',
      () => 'cut',
    );
    await fetch(`${server.baseUrl}/pets`);
    server.kill('SIGTERM');
    server.kill('SIGINT');
    expect(await server.ended).to.deep.equal({ code: 1, signal: null });
    expect(await result).to.equal('cut');
    controller.abort();
  });
});

describe('graceful shutdown', () => {
  const busy = { NODE_OPTIONS: '--import=data:text/javascript,setInterval(()=>{},1000)' };

  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    it(`exits with 0 on ${signal} although a timer keeps the event loop alive`, async () => {
      const server = await ServerProcess.start({ DATA_DIR: temporaryDirectory(), ...busy });
      server.kill(signal);
      expect(await server.ended).to.deep.equal({ code: 0, signal: null });
      expect(server.lines.slice(-2).map(withoutMoment)).to.deep.equal([
        { level: 'info', signal, msg: 'stopping' },
        { level: 'info', msg: 'stopped' },
      ]);
    });
  }

  it('exits after a failed start although a timer keeps the event loop alive', async () => {
    const server = new ServerProcess({ DATA_DIR: temporaryDirectory(), PORT: 'http', ...busy });
    expect(await server.ended).to.deep.equal({ code: 2, signal: null });
    expect(server.stderr).to.include('error: PORT=http is invalid;');
  });

  it('completes an upload on SIGHUP, which a closing terminal may send twice', async () => {
    const directory = temporaryDirectory();
    const server = await ServerProcess.start({ DATA_DIR: directory });
    const { hostname, port } = new URL(server.baseUrl);
    const connection = await RawConnection.openTo({ address: hostname, port: Number(port) });
    connection.send(uploadHead(await createUnlimitedKey(directory)));
    server.kill('SIGHUP');
    await server.waitForLog(/"msg":"stopping"/);
    server.kill('SIGHUP');
    while ((await statusOf(server, '/healthz')) !== 'ECONNREFUSED');
    connection.send(body);
    expect((await connection.readResponse()).status).to.equal(201);
    expect(await server.ended).to.deep.equal({ code: 0, signal: null });
  });
});
