import { Agent, type IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { petstoreJson } from '../support/cli/command-line.js';
import { get } from '../support/clients/get.js';
import { ServerProcess } from '../support/servers/server-process.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

/** Whether the tests of faults run, which wait in real time. */
const isProving = process.env['PETSTORE_TEST_FAULTS'] !== undefined;

const isAllowed = ({ statusCode }: IncomingMessage) => statusCode === 200;

describe('the limits of the real command', () => {
  it('allow exactly 60 of 500 requests on 64 connections, and one more after Retry-After', async function () {
    this.timeout(90_000);
    const server = await ServerProcess.start({ DATA_DIR: temporaryDirectory() });
    await server.waitForStderr(/curl .+\n/);
    const agent = new Agent({ keepAlive: true, maxSockets: 64 });
    const sendRequest = () => get(`${server.baseUrl}/pets`, String(server.firstKey), agent);
    const responses = await Promise.all(Array.from({ length: 500 }, sendRequest));
    const remaining = responses.filter(isAllowed).map(({ headers }) => Number(headers['x-ratelimit-remaining']));
    expect(remaining.sort((a, b) => b - a)).to.deep.equal(Array.from({ length: 60 }, (_, index) => 59 - index));
    const waits = responses.filter((response) => !isAllowed(response)).map(({ headers }) => headers['retry-after']);
    for (const wait of waits) expect(wait).to.match(/^[1-9][0-9]*$/);
    if (isProving) {
      // `npm run test:faults` waits in real time; test/http/middleware/rate-limit.test.ts advances a clock instead.
      await delay(Number((await sendRequest()).headers['retry-after']) * 1000);
      expect((await sendRequest()).statusCode).to.equal(200);
    }
    agent.destroy();
    await server.stop();
  });

  it('allow a daily quota of 5 exactly across graceful stops, and a kill loses at most the last second', async function () {
    this.timeout(60_000);
    const directory = temporaryDirectory();
    const options = ['--plan', 'enterprise', '--per-minute', '100', '--per-day', '5'];
    const { token } = await petstoreJson<{ token: string }>(['keys', 'create', '--name', 'small', ...options], {
      directory,
      clock: Date.now,
    });
    /** How many of two requests a server allows before it ends. */
    const allowedBy = async (end: (server: ServerProcess) => Promise<unknown>) => {
      const server = await ServerProcess.start({ DATA_DIR: directory });
      const agent = new Agent({ keepAlive: true });
      const responses = await Promise.all([1, 2].map(() => get(`${server.baseUrl}/pets`, token, agent)));
      agent.destroy();
      await end(server);
      return responses.filter(isAllowed).length;
    };
    const stop = (server: ServerProcess) => server.stop();
    const killAfterSave = async (server: ServerProcess) => {
      await delay(1500);
      server.kill('SIGKILL');
      await server.ended;
    };
    expect([
      await allowedBy(stop),
      await allowedBy(killAfterSave),
      await allowedBy(stop),
      await allowedBy(stop),
    ]).to.deep.equal([2, 2, 1, 0]);
  });
});
