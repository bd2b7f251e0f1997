import { execFileSync } from 'node:child_process';
import { closeSync, createReadStream, openSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { RawConnection } from '../support/clients/raw-connection.js';
import { parseLines, withoutMoment } from '../support/log-lines.js';
import { createUnlimitedKey, ServerProcess } from '../support/servers/server-process.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

/**
 * A service without requests in progress stops at once, or after a second if its log is not read; with the delays of a
 * busy machine.
 */
const stopMs = 5000;

/** Sends `count` requests on 16 connections. Resolves with the number of responses by status. */
async function sendRequests(url: string, token: string, count: number): Promise<Readonly<Record<number, number>>> {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const headers = { authorization: `Bearer ${token}` };
  const statuses: Record<number, number> = {};
  let left = count;
  const sendNext = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const status = await new Promise<number>((resolve, reject) => {
        const sent = request(url, { agent, headers }, (response) => {
          response.resume().once('end', () => resolve(response.statusCode ?? 0));
        });
        sent.once('error', reject).end();
      });
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: 16 }, sendNext));
  agent.destroy();
  return statuses;
}

describe('the log of the real command', () => {
  let directory: string;
  beforeEach(() => (directory = temporaryDirectory()));

  it('is on stdout, one line per event; text for people is on stderr', async () => {
    const server = await ServerProcess.start({ DATA_DIR: directory, METRICS_PORT: '0' });
    await server.waitForStderr(/curl .+\n/);
    const { baseUrl, metricsUrl, firstKey = '' } = server;
    const response = await fetch(`${baseUrl}/pets`, { headers: { authorization: `Bearer ${firstKey}` } });
    await server.stop();
    const [started, made, requested, ...others] = server.lines.map(withoutMoment);
    const contractUrl = new URL('/openapi.yaml', baseUrl).href;
    expect(started).to.deep.equal({
      ...{
        level: 'info',
        version: '1.0.0',
        baseUrl,
        contractUrl,
        metricsUrl,
        dataDirectory: directory,
        msg: 'started',
      },
    });
    expect(made?.['keyId']).to.match(/^key_/);
    expect(made).to.deep.equal({ level: 'info', keyId: made?.['keyId'], msg: 'first API key created' });
    expect(requested).to.include({
      requestId: response.headers.get('x-request-id'),
      status: 200,
      keyId: made?.['keyId'],
    });
    expect(others).to.deep.equal([
      { level: 'info', signal: 'SIGTERM', msg: 'stopping' },
      { level: 'info', msg: 'stopped' },
    ]);
    expect(server.stdout).to.not.contain(firstKey).and.not.contain(firstKey.slice(-20));
    expect(server.stderr)
      .to.match(/^Pet Store 1\.0\.0 is at http/)
      .and.contain(`\n  Metrics   ${metricsUrl}\n`);
  });

  it('contains each warning with its code', async () => {
    const server = await ServerProcess.start({ DATA_DIR: directory, HOST: '0.0.0.0' });
    await server.stop();
    expect(server.alarms.map(withoutMoment)).to.deep.equal([
      {
        level: 'warn',
        code: 'public_base_url_unset',
        msg: "links lead to the listener's own address, which clients elsewhere cannot reach. Set PUBLIC_BASE_URL.",
      },
    ]);
  });

  it('logs the start and the end of an outage at the same level', async () => {
    const server = await ServerProcess.start({ DATA_DIR: directory, LOG_LEVEL: 'warn' });
    const headers = {
      authorization: `Bearer ${await createUnlimitedKey(directory)}`,
      'content-type': 'application/json',
    };
    const other = new Database(join(directory, 'petstore.db'));
    other.exec('BEGIN IMMEDIATE');
    const body = '{"name":"Rex","categoryId":7}';
    expect((await fetch(`${server.baseUrl}/pets`, { method: 'POST', headers, body })).status).to.equal(503);
    await server.waitForLog(/"storage outage"/);
    other.close();
    await server.waitForLog(/"storage recovered"/);
    await server.stop();
    expect(server.lines.map(({ level, msg }) => ({ level, msg }))).to.deep.equal([
      { level: 'warn', msg: 'storage outage' },
      { level: 'warn', msg: 'request' },
      { level: 'warn', msg: 'storage recovered' },
    ]);
  });

  it('is empty at the level silent', async () => {
    const server = await ServerProcess.start({ DATA_DIR: directory, LOG_LEVEL: 'silent' });
    await fetch(`${server.baseUrl}/pets`);
    await server.stop();
    expect(server.stdout).to.equal('');
  });

  it('that is not read neither delays requests nor prevents the service from stopping', async function () {
    this.timeout(60_000);
    const pipe = join(directory, 'log');
    execFileSync('mkfifo', [pipe]);
    // Opened for both, a pipe needs no reader.
    const fd = openSync(pipe, 'r+');
    const server = await ServerProcess.start({ DATA_DIR: directory }, fd);
    const token = await createUnlimitedKey(directory);
    expect(await sendRequests(`${server.baseUrl}/pets`, token, 5000)).to.deep.equal({ 200: 5000 });
    const stoppedAt = performance.now();
    expect(await server.stop()).to.deep.equal({ code: 0, signal: null });
    expect(performance.now() - stoppedAt).to.be.below(stopMs);
    closeSync(fd);
  });

  it('is dropped when its reader has closed, while the service continues and stops normally', async () => {
    const server = await ServerProcess.start({ DATA_DIR: directory });
    await server.waitForStderr(/curl .+\n/);
    server.endReading();
    expect(await sendRequests(`${server.baseUrl}/pets`, server.firstKey ?? '', 20)).to.deep.equal({ 200: 20 });
    expect(await server.stop()).to.deep.equal({ code: 0, signal: null });
  });

  it('is dropped on a full disk, while the service continues', async () => {
    const fd = openSync('/dev/full', 'w');
    const server = await ServerProcess.start({ DATA_DIR: directory }, fd);
    await server.waitForStderr(/curl .+\n/);
    expect(await sendRequests(`${server.baseUrl}/pets`, server.firstKey ?? '', 20)).to.deep.equal({ 200: 20 });
    expect(await server.stop()).to.deep.equal({ code: 0, signal: null });
    closeSync(fd);
  });

  it('is complete in a file', async () => {
    const file = join(directory, 'log');
    const fd = openSync(file, 'a');
    const server = await ServerProcess.start({ DATA_DIR: directory }, fd);
    await server.waitForStderr(/curl .+\n/);
    await sendRequests(`${server.baseUrl}/pets`, server.firstKey ?? '', 20);
    await server.stop();
    closeSync(fd);
    const lines = parseLines(await text(createReadStream(file)));
    expect(lines.filter(({ status }) => status === 200)).to.have.lengthOf(20);
    expect(lines.at(-1)).to.include({ msg: 'stopped' });
  });

  it('contains the reason when a second signal or an uncaught exception ends the process', async () => {
    const hurried = await ServerProcess.start({ DATA_DIR: directory });
    const { hostname, port } = new URL(hurried.baseUrl);
    const unfinished = await RawConnection.openTo({ address: hostname, port: Number(port) });
    unfinished.send('GET /v1/pets HTTP/1.1\r\n');
    await fetch(hurried.baseUrl);
    hurried.kill('SIGTERM');
    hurried.kill('SIGINT');
    expect(await hurried.ended).to.deep.equal({ code: 1, signal: null });
    // A line that pino is writing at that moment may follow.
    expect(hurried.alarms.map(({ level, msg }) => ({ level, msg }))).to.deep.equal([
      { level: 'warn', msg: 'exited on second signal' },
    ]);

    const defect = "process.on('SIGUSR2', () => { throw new RangeError('uncaught'); });";
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(defect)}`;
    const defective = await ServerProcess.start({ DATA_DIR: directory, NODE_OPTIONS });
    defective.kill('SIGUSR2');
    expect((await defective.ended).code).to.equal(1);
    const [last] = defective.alarms;
    expect(last).to.include({ level: 'error', msg: 'internal error' });
    expect(last?.['err']).to.include({ type: 'RangeError', message: 'uncaught' });
    expect(defective.stderr).to.contain('RangeError: uncaught');
  });
});
