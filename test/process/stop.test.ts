import { connect } from 'node:net';
import { expect } from 'chai';
import { type Acknowledged, CreatingClient } from '../support/creating-client.js';
import { RawConnection } from '../support/raw-exchange.js';
import { createUnlimitedKey, ServerProcess } from '../support/server-process.js';
import { readStoredPets } from '../support/stored-pets.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

/** The service stops within its 6.5 s for requests in flight; with clients that leave when they are told to, long before. */
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

describe('SIGTERM', () => {
  it('loses no request under load, tells every client to leave, and ends with 0, five times over', async function () {
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
      expect(clients.filter(({ wasToldToLeave }) => !wasToldToLeave)).to.deep.equal([]);
      acknowledged.push(...clients.flatMap((client) => client.acknowledged));
    }
    expect([...readStoredPets(directory).values()]).to.have.deep.members(acknowledged);
  });

  it('answers what is on its way, takes an upload that has begun, ends silent connections, and takes no new ones', async () => {
    const server = await ServerProcess.start({ DATA_DIR: temporaryDirectory() });
    await server.says(/curl .+\n/);
    const { hostname, port } = new URL(server.baseUrl);
    const open = () => RawConnection.openTo({ address: hostname, port: Number(port) });
    const [silent, idle, uploading] = [await open(), await open(), await open()];
    const head = `Host: x\r\nAuthorization: Bearer ${String(server.firstKey)}\r\n`;
    const get = `GET /v1/pets HTTP/1.1\r\n${head}\r\n`;
    idle.send(get);
    expect((await idle.answer()).headers).to.include({ connection: 'keep-alive' });
    uploading.send(`POST /v1/pets HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: 29\r\n\r\n{"name":"Rex",`);
    // The server reads connections in turn: once this is answered, it has the head of the upload.
    idle.send(get);
    await idle.answer();

    const stoppedAt = performance.now();
    server.kill('SIGTERM');
    while (await isListening(hostname, Number(port)));
    idle.send(get);
    const last = await idle.answer();
    expect({ status: last.status, connection: last.headers['connection'] }).to.deep.equal({ status: 200, connection: 'close' });
    await silent.closed();
    expect(silent.rest).to.equal('');
    uploading.send('"categoryId":7}');
    const created = await uploading.answer();
    expect({ status: created.status, connection: created.headers['connection'] }).to.deep.equal({
      status: 201,
      connection: 'close',
    });
    expect(await server.ended).to.deep.equal({ code: 0, signal: null });
    expect(performance.now() - stoppedAt).to.be.below(stopMs);
  });

  it('does not wait longer than 10 s for a client that does not finish', async function () {
    this.timeout(30_000);
    const server = await ServerProcess.start({ DATA_DIR: temporaryDirectory() });
    await server.says(/curl .+\n/);
    const { hostname, port } = new URL(server.baseUrl);
    const unfinished = await RawConnection.openTo({ address: hostname, port: Number(port) });
    unfinished.send('GET /v1/pets HTTP/1.1\r\nHost: x\r\n');
    await fetch(`${server.baseUrl}/pets`);
    const stoppedAt = performance.now();
    expect(await server.stop()).to.deep.equal({ code: 0, signal: null });
    expect(performance.now() - stoppedAt).to.be.below(10_000);
  });

  it('does not wait for connections on which nothing is asked', async () => {
    const server = await ServerProcess.start({ DATA_DIR: temporaryDirectory() });
    await fetch(`${server.baseUrl}/pets`);
    const startedAt = performance.now();
    expect(await server.stop()).to.deep.equal({ code: 0, signal: null });
    expect(performance.now() - startedAt).to.be.below(stopMs);
  });

  it('is obeyed at once the second time', async () => {
    const server = await ServerProcess.start({ DATA_DIR: temporaryDirectory() });
    await server.says(/curl .+\n/);
    // A request whose body never ends keeps the service from stopping by itself.
    const controller = new AbortController();
    const body = new ReadableStream({ start: (stream) => stream.enqueue(Buffer.from('{')) });
    const headers = { authorization: `Bearer ${String(server.firstKey)}`, 'content-type': 'application/json' };
    const pending = fetch(`${server.baseUrl}/pets`, { method: 'POST', headers, body, duplex: 'half', signal: controller.signal });
    const outcome = pending.then(
      () => 'answered',
      () => 'cut',
    );
    await fetch(`${server.baseUrl}/pets`);
    server.kill('SIGTERM');
    server.kill('SIGINT');
    expect(await server.ended).to.deep.equal({ code: 1, signal: null });
    expect(await outcome).to.equal('cut');
    controller.abort();
  });
});
