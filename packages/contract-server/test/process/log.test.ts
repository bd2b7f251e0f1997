import { execFileSync } from 'node:child_process';
import { openSync, readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { join, resolve } from 'node:path';
import { createUnlimitedKey } from '@contract-server/test-support/cli/toys.js';
import { RawConnection } from '@contract-server/test-support/clients/raw-connection.js';
import { send } from '@contract-server/test-support/clients/send.js';
import { ToyClient } from '@contract-server/test-support/clients/toy-client.js';
import { toysContract } from '@contract-server/test-support/contract/toys-contract.js';
import { whileLocked } from '@contract-server/test-support/fault-injection.js';
import { parseLines, withoutMoment } from '@contract-server/test-support/log-lines.js';
import { ToysProcess } from '@contract-server/test-support/servers/toys-process.js';
import { temporaryDirectory } from '@contract-server/test-support/temporary-directory.js';
import { expect } from 'chai';

/**
 * A service without requests in progress stops at once, or after a second if its log is not read; with the delays of a
 * busy machine.
 */
const stopMs = 5000;

describe('the log of the real command', () => {
  let directory: string;
  beforeEach(() => (directory = temporaryDirectory()));

  /** Sends requests on 16 connections, each of which must succeed. */
  async function expectServed(server: ToysProcess, count: number): Promise<void> {
    const [token, agent] = [await createUnlimitedKey(directory), new Agent({ keepAlive: true, maxSockets: 16 })];
    const listToys = () => send(`${server.baseUrl}/toys`, token, { agent });
    const responses = await Promise.all(Array.from({ length: count }, listToys));
    expect(responses.filter(({ status }) => status !== 200)).to.deep.equal([]);
  }

  it('is on stdout, one line per event; text for people is on stderr', async () => {
    const server = await ToysProcess.start({ DATA_DIR: directory, METRICS_PORT: '0' });
    await server.waitForStderr(/curl .+\n/);
    const { baseUrl, metricsUrl, firstKey = '' } = server;
    const response = await send(`${baseUrl}/toys`, firstKey);
    await server.stop();
    const [started, made, requested, ...others] = server.lines.map(withoutMoment);
    const urls = { baseUrl, contractUrl: new URL('/openapi.yaml', baseUrl).href, metricsUrl };
    const { version } = toysContract.document.info;
    const own = { level: 'info', version, dataDirectory: directory, msg: 'started' };
    expect(started).to.deep.equal({ ...own, ...urls });
    const { keyId } = made ?? {};
    expect(keyId).to.match(/^key_/);
    expect(made).to.deep.equal({ level: 'info', keyId, msg: 'first API key created' });
    expect(requested).to.include({ requestId: response.headers['x-request-id'], status: 200, callerId: keyId });
    expect(others).to.deep.equal([
      { level: 'info', signal: 'SIGTERM', msg: 'stopping' },
      { level: 'info', msg: 'stopped' },
    ]);
    expect(server.stdout).to.not.contain(firstKey).and.not.contain(firstKey.slice(-20));
    expect(server.stderr).to.match(/^Toys [\d.]+ is at http/);
    expect(server.stderr).to.contain(`\n  Metrics   ${metricsUrl}\n`);
  });

  it('contains the start and the end of an outage at the same level', async () => {
    // Before the start, which would create a first key while the database is locked.
    const key = await createUnlimitedKey(directory);
    const server = await ToysProcess.start({ DATA_DIR: directory, LOG_LEVEL: 'warn' });
    const client = new ToyClient(server.baseUrl, key);
    await whileLocked({ directory }, async () => {
      expect((await client.create()).status).to.equal(503);
      await server.waitForLog(/"storage outage"/);
    });
    await server.waitForLog(/"storage recovered"/);
    await server.stop();
    expect(server.lines.map(({ level, msg }) => ({ level, msg }))).to.deep.equal([
      { level: 'warn', msg: 'storage outage' },
      { level: 'warn', msg: 'request' },
      { level: 'warn', msg: 'storage recovered' },
    ]);
  });

  it('that is not read neither delays requests nor prevents the service from stopping', async function () {
    this.timeout(60_000);
    const pipe = join(directory, 'log');
    execFileSync('mkfifo', [pipe]);
    // Opened for both, a pipe needs no reader.
    const server = await ToysProcess.start({ DATA_DIR: directory }, { stdout: openSync(pipe, 'r+') });
    await expectServed(server, 5000);
    const stoppedAt = performance.now();
    await server.stop();
    expect(performance.now() - stoppedAt).to.be.below(stopMs);
  });

  it('is dropped when its reader has closed, while the service continues and stops normally', async () => {
    const server = await ToysProcess.start({ DATA_DIR: directory });
    server.endReading();
    await expectServed(server, 20);
    await server.stop();
  });

  for (const file of ['/dev/full', 'log'])
    it(`is ${file === 'log' ? 'complete in a file' : 'dropped on a full disk, while the service continues'}`, async () => {
      const path = resolve(directory, file);
      const server = await ToysProcess.start({ DATA_DIR: directory }, { stdout: openSync(path, 'a') });
      await expectServed(server, 20);
      await server.stop();
      if (file === '/dev/full') return;
      const lines = parseLines(readFileSync(path, 'utf8'));
      expect(lines.filter(({ status }) => status === 200)).to.have.lengthOf(20);
      expect(lines.at(-1)).to.include({ msg: 'stopped' });
    });

  it('contains the reason when a second signal ends the process, immediately', async () => {
    const server = await ToysProcess.start({ DATA_DIR: directory });
    const unfinished = await RawConnection.openTo(server);
    unfinished.send('GET /v1/toys HTTP/1.1\r\n');
    await expectServed(server, 1);
    server.kill('SIGTERM');
    server.kill('SIGINT');
    expect(await server.ended).to.deep.equal({ code: 1, signal: null });
    await unfinished.whenEnded();
    expect(server.alarms.map(({ level, msg }) => [level, msg])).to.deep.equal([['warn', 'exited on second signal']]);
  });

  it('contains an uncaught exception, which ends the process', async () => {
    const defect = "process.on('SIGUSR2', () => { throw new RangeError('uncaught'); });";
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(defect)}`;
    const server = await ToysProcess.start({ DATA_DIR: directory, NODE_OPTIONS });
    server.kill('SIGUSR2');
    expect((await server.ended).code).to.equal(1);
    const [last] = server.alarms;
    expect(last).to.include({ level: 'error', msg: 'internal error' });
    expect(last?.['err']).to.include({ type: 'RangeError', message: 'uncaught' });
    expect(server.stderr).to.contain('RangeError: uncaught');
  });
});
