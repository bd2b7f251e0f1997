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

  it('allow a daily quota of 5 exactly, across three kills', async function () {
    this.timeout(60_000);
    const directory = temporaryDirectory();
    const options = ['--plan', 'enterprise', '--per-minute', '100', '--per-day', '5'];
    const clock = { now: Date.now() };
    const { token } = await petstoreJson<{ token: string }>(['keys', 'create', '--name', 'small', ...options], {
      directory,
      clock,
    });
    let allowed = 0;
    for (let life = 0; life < 4; life += 1) {
      const server = await ServerProcess.start({ DATA_DIR: directory });
      const agent = new Agent({ keepAlive: true });
      const responses = await Promise.all([1, 2].map(() => get(`${server.baseUrl}/pets`, token, agent)));
      allowed += responses.filter(isAllowed).length;
      server.kill('SIGKILL');
      await server.ended;
      agent.destroy();
      if (isProving) await delay(1000);
    }
    expect(allowed).to.equal(5);
  });
});
