import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { toysJson } from '@contract-server/test-support/cli/toys.js';
import { send } from '@contract-server/test-support/clients/send.js';
import { ToysProcess } from '@contract-server/test-support/servers/toys-process.js';
import { temporaryDirectory } from '@contract-server/test-support/temporary-directory.js';
import { expect } from 'chai';

/** Whether the tests of faults run, which wait in real time; rate-limit.test.ts of contract-server sets a clock. */
const isProving = process.env['PETSTORE_TEST_FAULTS'] !== undefined;

const isAllowed = ({ status }: { readonly status: number }) => status === 200;

describe('the limits of the real command', () => {
  it(`allow exactly 60 of 500 requests${isProving ? ', and one more after Retry-After' : ''}`, async function () {
    this.timeout(90_000);
    const server = await ToysProcess.start({ DATA_DIR: temporaryDirectory() });
    await server.waitForStderr(/curl .+\n/);
    const agent = new Agent({ keepAlive: true, maxSockets: 64 });
    const listToys = () => send(`${server.baseUrl}/toys`, String(server.firstKey), { agent });
    const responses = await Promise.all(Array.from({ length: 500 }, listToys));
    const remaining = responses.filter(isAllowed).map(({ headers }) => Number(headers['x-ratelimit-remaining']));
    expect(remaining.sort((a, b) => b - a)).to.deep.equal(Array.from({ length: 60 }, (_, index) => 59 - index));
    for (const { status, headers } of responses)
      if (status !== 200) expect([status, headers['retry-after']]).to.match(/^429,[1-9][0-9]*$/);
    if (!isProving) return;
    await delay(Number((await listToys()).headers['retry-after']) * 1000);
    expect((await listToys()).status).to.equal(200);
  });

  it('allow a daily quota of 5 exactly across graceful stops, and a kill loses at most the last second', async function () {
    this.timeout(60_000);
    const directory = temporaryDirectory();
    const create = 'keys create --name small --plan enterprise --per-minute 100 --per-day 5'.split(' ');
    const { token } = await toysJson<{ token: string }>(create, { directory, clock: Date.now });
    const stop = (server: ToysProcess) => server.stop();
    const crashAfterSave = async (server: ToysProcess) => {
      await delay(1500);
      await server.crash();
    };
    const counts: number[] = [];
    for (const end of [stop, crashAfterSave, stop, stop]) {
      const server = await ToysProcess.start({ DATA_DIR: directory });
      const responses = await Promise.all([1, 2].map(() => send(`${server.baseUrl}/toys`, token)));
      counts.push(responses.filter(isAllowed).length);
      await end(server);
    }
    expect(counts).to.deep.equal([2, 2, 1, 0]);
  });
});
