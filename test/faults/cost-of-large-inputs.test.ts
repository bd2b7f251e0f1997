import { closeSync, openSync } from 'node:fs';
import { expect } from 'chai';
import { costRatio, type MeasuredServer } from '../support/cost/cpu-cost.js';
import { type LargeRequest, largeMockRequests, largeRequests } from '../support/cost/large-requests.js';
import { readMetrics } from '../support/metrics.js';
import { startMock, type TestMock } from '../support/servers/mock.js';
import { createUnlimitedKey, ServerProcess } from '../support/servers/server-process.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

/** Twice the input may cost this many times the work: linear work costs twice as much, quadratic work four times. */
const ratioMax = 2.5;

async function expectLinear(server: MeasuredServer, request: LargeRequest, key: string): Promise<void> {
  const [full = '', half = ''] = [1, 0.5].map((size) => request(size).replace('<key>', key));
  expect(await costRatio(server, full, half, ratioMax)).to.be.at.most(ratioMax);
}

function addressOf(url: string): MeasuredServer['address'] {
  const { hostname, port } = new URL(url);
  return { address: hostname, port: Number(port) };
}

describe('The CPU time that a request costs', function () {
  this.timeout(60_000);
  let process: ServerProcess;
  let server: MeasuredServer;
  let key: string;
  const log = openSync('/dev/null', 'w');

  before(async () => {
    const directory = temporaryDirectory();
    key = await createUnlimitedKey(directory);
    const env = { TRUST_PROXY: '127.0.0.0/8,::1', CORS_ORIGINS: 'https://pets.example', METRICS_PORT: '0' };
    process = await ServerProcess.start({ DATA_DIR: directory, ...env }, log);
    await process.waitForStderr(/Metrics .+\n/);
    const cpuUs = async () => ((await readMetrics(process.metricsUrl)).get('process_cpu_seconds_total') ?? NaN) * 1e6;
    server = { address: addressOf(process.baseUrl), cpuUs };
  });
  after(async () => {
    await process.stop();
    closeSync(log);
  });

  for (const [kind, request] of Object.entries(largeRequests)) {
    it(`grows at most linearly with ${kind}`, () => expectLinear(server, request, key));
  }
});

describe('The CPU time that a request to the mock costs', function () {
  this.timeout(60_000);
  let mock: TestMock;
  let server: MeasuredServer;

  before(async () => {
    mock = await startMock();
    // The client works in this process as well, which is the same for both requests.
    const cpuUs = () => {
      const { user, system } = process.cpuUsage();
      return Promise.resolve(user + system);
    };
    server = { address: addressOf(mock.baseUrl), cpuUs };
  });
  after(() => mock.close());

  for (const [kind, request] of Object.entries(largeMockRequests)) {
    it(`grows at most linearly with ${kind}`, () => expectLinear(server, request, 'anything'));
  }
});
