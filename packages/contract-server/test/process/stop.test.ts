import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { createUnlimitedKey } from '@contract-server/test-support/cli/toys.js';
import { RawConnection } from '@contract-server/test-support/clients/raw-connection.js';
import { send } from '@contract-server/test-support/clients/send.js';
import { type Acknowledged, ToyClient } from '@contract-server/test-support/clients/toy-client.js';
import { openBeside } from '@contract-server/test-support/fault-injection.js';
import { withoutMoment } from '@contract-server/test-support/log-lines.js';
import { isListening } from '@contract-server/test-support/servers/is-listening.js';
import { ToysProcess } from '@contract-server/test-support/servers/toys-process.js';
import { temporaryDirectory } from '@contract-server/test-support/temporary-directory.js';
import { expect } from 'chai';

const body = '{"name":"Block","weight":7}';
const headOf = (token: string) => `Host: x\r\nAuthorization: Bearer ${token}\r\n`;
const uploadHead = (token: string) =>
  `POST /v1/toys HTTP/1.1\r\n${headOf(token)}Content-Type: application/json\r\nContent-Length: ${String(body.length)}\r\n\r\n`;

/**
 * The service accepts connections for one more second, and then has 6 s for requests in flight; with clients that
 * honour `Connection: close`, it stops long before.
 */
const stopMs = 4000;
/** Keeps the event loop alive. */
const busy = { NODE_OPTIONS: '--import=data:text/javascript,setInterval(()=>{},1000)' };

/** The toys in the database of a directory, after its server has ended. @throws if the file is damaged. */
function storedIn(directory: string): unknown[] {
  const database = openBeside({ directory });
  expect(database.pragma('integrity_check', { simple: true })).to.equal('ok');
  const rows = database.prepare('SELECT id, name, weight FROM toys').all();
  database.close();
  return rows;
}

describe('graceful shutdown', () => {
  let directory: string;
  let server: ToysProcess;
  let token: string;
  let stoppedAt: number;

  async function start(env = {}): Promise<void> {
    server = await ToysProcess.start({ DATA_DIR: directory, ...env });
    token = await createUnlimitedKey(directory);
  }

  function kill(signal: NodeJS.Signals): void {
    stoppedAt = performance.now();
    server.kill(signal);
  }

  async function expectStopped(withinMs = stopMs): Promise<void> {
    expect(await server.ended).to.deep.equal({ code: 0, signal: null });
    expect(performance.now() - stoppedAt).to.be.below(withinMs);
  }

  beforeEach(() => (directory = temporaryDirectory()));

  it('loses no request under load, and closes every connection after a response, five times in a row', async function () {
    this.timeout(60_000);
    const acknowledged: Acknowledged[] = [];
    for (let round = 1; round <= 5; round += 1) {
      await start();
      let count = 0;
      const createUntilClosed = async (index: number) => {
        const agent = new Agent({ keepAlive: true, maxSockets: 1 });
        const client = new ToyClient(server.baseUrl, token, `${String(round)}-${String(index)}`, { agent });
        for (let isOpen = true; isOpen; count += 1) {
          const { status, headers } = await client.create();
          expect(status).to.equal(201);
          isOpen = headers.connection !== 'close';
          if (count === 100 * round) kill('SIGTERM');
        }
        acknowledged.push(...client.acknowledged);
      };
      await Promise.all(Array.from({ length: 8 }, (_, index) => createUntilClosed(index)));
      await expectStopped();
      expect(server.alarms).to.deep.equal([]);
    }
    expect(storedIn(directory)).to.have.deep.members(acknowledged);
  });

  it('completes requests and uploads in progress, closes idle connections, and accepts no new ones', async () => {
    await start();
    const open = () => RawConnection.openTo(server);
    const [silent, idle, uploading] = [await open(), await open(), await open()];
    const get = `GET /v1/toys HTTP/1.1\r\n${headOf(token)}\r\n`;
    idle.send(get);
    expect((await idle.readResponse()).headers).to.include({ connection: 'keep-alive' });
    uploading.send(uploadHead(token) + body.slice(0, 10));
    // The server reads connections in turn: after this response, it has the head of the upload.
    idle.send(get);
    await idle.readResponse();

    kill('SIGTERM');
    await server.waitForLog(/"msg":"stopping"/);
    idle.send(get);
    const last = await idle.readResponse();
    expect([last.status, last.headers['connection']]).to.deep.equal([200, 'close']);
    while (await isListening(server.port)) await delay(10);
    await silent.whenEnded();
    expect(silent.rest).to.equal('');
    uploading.send(body.slice(10));
    const created = await uploading.readResponse();
    expect([created.status, created.headers['connection']]).to.deep.equal([201, 'close']);
    await expectStopped();
  });

  it('completes although clients keep connecting, and loses no earlier request', async () => {
    await start();
    const lost: unknown[] = [];
    let count = 0;
    stoppedAt = Infinity;
    const connectAgainAndAgain = async () => {
      for (let result: unknown; result !== 'ECONNREFUSED'; count += 1) {
        const isEarly = stoppedAt === Infinity;
        result = await send(new URL('/healthz', server.baseUrl).href, token, { agent: new Agent() }).then(
          ({ status }) => status,
          (error: unknown) => (error as NodeJS.ErrnoException).code,
        );
        if (isEarly && result !== 200) lost.push(result);
        if (count === 200) kill('SIGTERM');
      }
    };
    await Promise.all(Array.from({ length: 16 }, connectAgainAndAgain));
    await expectStopped();
    expect(lost).to.deep.equal([]);
  });

  it('waits for a client that does not finish until DRAIN_TIMEOUT_SECONDS', async () => {
    await start({ DRAIN_TIMEOUT_SECONDS: '1' });
    const unfinished = await RawConnection.openTo(server);
    unfinished.send('GET /v1/toys HTTP/1.1\r\nHost: x\r\n');
    await send(`${server.baseUrl}/toys`, token);
    kill('SIGTERM');
    await expectStopped(5000);
    expect(performance.now() - stoppedAt).to.be.above(2000);
  });

  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
    it(`exits with 0 on ${signal} although a connection is idle and a timer keeps the event loop alive`, async () => {
      await start({ LOG_LEVEL: 'info', ...busy });
      await fetch(`${server.baseUrl}/toys`);
      kill(signal);
      await expectStopped();
      expect(server.lines.slice(-2).map(withoutMoment)).to.deep.equal([
        { level: 'info', signal, msg: 'stopping' },
        { level: 'info', msg: 'stopped' },
      ]);
    });

  it('exits with 0 on Ctrl+C under npm, which sends SIGINT twice', async () => {
    await start();
    kill('SIGINT');
    server.kill('SIGINT');
    await expectStopped();
  });

  it('completes an upload on SIGHUP, which a closing terminal may send twice', async () => {
    await start();
    const connection = await RawConnection.openTo(server);
    connection.send(uploadHead(token));
    kill('SIGHUP');
    await server.waitForLog(/"msg":"stopping"/);
    server.kill('SIGHUP');
    while (await isListening(server.port)) await delay(10);
    connection.send(body);
    expect((await connection.readResponse()).status).to.equal(201);
    await expectStopped();
  });
});
