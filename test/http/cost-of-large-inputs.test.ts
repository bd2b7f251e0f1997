import { openSync } from 'node:fs';
import { expect } from 'chai';
import { contractUrl, readContract } from '#src/contract/contract-source.js';
import { costRatio, type MeasuredServer } from '../support/cpu-cost.js';
import { readMetrics } from '../support/metrics.js';
import { createUnlimitedKey, ServerProcess } from '../support/server-process.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

/** Twice the input may cost this many times the work: linear work costs twice as much, quadratic work four times. */
const ratioMax = 2.5;

const { document } = await readContract(contractUrl);
const { targetBytesMax, queryParametersMax } = document['x-request-limits'];

/** A request with an input of a size, from 0 to 1, of what the contract allows. `Authorization: <key>` stands for a valid key. */
type Request = (size: number) => string;

const repeat = (text: string, bytes: number) => text.repeat(Math.floor(bytes / text.length));
/** Different names, so many bytes of them with what is around each. */
const distinct = (bytes: number, make: (name: string) => string) => {
  let all = '';
  for (let index = 0; all.length < bytes; index += 1) all += make(index.toString(36));
  return all.slice(0, bytes);
};
const get = (target: string, ...lines: readonly string[]) =>
  [`GET ${target} HTTP/1.1`, 'Host: pets.example', 'Authorization: <key>', ...lines, '', ''].join('\r\n');
const target = (start: string, make: (bytes: number) => string) => (size: number) =>
  get(start + make(Math.floor((targetBytesMax - start.length) * size)));

const targets: Readonly<Record<string, Request>> = {
  'the length of a path': target('/v1/', (bytes) => repeat('x', bytes)),
  'the number of path segments': target('/v1/pets', (bytes) => repeat('/a', bytes)),
  'the number of percent escapes in a path parameter': target('/v1/pets/', (bytes) => repeat('%31', bytes)),
  'the number of digits in a path parameter': target('/v1/pets/', (bytes) => repeat('1', bytes)),
  'the number of percent escapes in a path that is logged': target('/v1/', (bytes) => repeat('%2525', bytes)),
  'the length of a path outside the API': target('/', (bytes) => repeat('a/', bytes)),
  'the number of times that a query parameter is repeated': target('/v1/pets?', (bytes) => repeat('a&', bytes)),
  'the number of different query parameters': target('/v1/pets?', (bytes) => distinct(bytes, (name) => `${name}&`)),
  'the number of query parameters, up to the limit': target('/v1/pets?', (bytes) =>
    repeat('limit=1&', (bytes / targetBytesMax) * queryParametersMax * 'limit=1&'.length),
  ),
  'the length of the name of a query parameter': target('/v1/pets?', (bytes) => repeat('/~', bytes)),
  'the length of a cursor': target('/v1/pets?cursor=', (bytes) => repeat('M', bytes)),
  'the number of percent escapes in a query': target('/v1/pets?cursor=', (bytes) => repeat('%20', bytes)),
};

describe('The CPU time that a request costs', function () {
  this.timeout(60_000);
  let process: ServerProcess;
  let server: MeasuredServer;
  let key: string;

  before(async () => {
    const directory = temporaryDirectory();
    key = `Bearer ${await createUnlimitedKey(directory)}`;
    process = await ServerProcess.start({ DATA_DIR: directory, METRICS_PORT: '0' }, openSync('/dev/null', 'w'));
    await process.says(/Metrics .+\n/);
    const { hostname: address, port } = new URL(process.baseUrl);
    const cpuUs = async () => ((await readMetrics(process.metricsUrl)).get('process_cpu_seconds_total') ?? NaN) * 1e6;
    server = { address: { address, port: Number(port) }, cpuUs };
  });
  after(() => process.stop());

  for (const [kind, request] of Object.entries(targets)) {
    it(`grows at most linearly with ${kind}`, async () => {
      const [full = '', half = ''] = [1, 0.5].map((size) => request(size).replace('<key>', key));
      expect(await costRatio(server, full, half, ratioMax)).to.be.at.most(ratioMax);
    });
  }
});
