import { openSync } from 'node:fs';
import { expect } from 'chai';
import { contractUrl, readContract } from '#src/contract/contract-source.js';
import { bodyRuleOf } from '#src/contract/document.js';
import { costRatio, type MeasuredServer } from '../support/cpu-cost.js';
import { readMetrics } from '../support/metrics.js';
import { createUnlimitedKey, ServerProcess } from '../support/server-process.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

/** Twice the input may cost this many times the work: linear work costs twice as much, quadratic work four times. */
const ratioMax = 2.5;

const { document } = await readContract(contractUrl);
const { targetBytesMax, queryParametersMax, bodyValuesMax } = document['x-request-limits'];
const bodyBytesMax = bodyRuleOf(document, 'createPet')?.bytesMax ?? NaN;

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

const post = (body: string, ...lines: readonly string[]) =>
  [
    'POST /v1/pets HTTP/1.1',
    'Host: pets.example',
    'Authorization: <key>',
    'Content-Type: application/json',
    `Content-Length: ${String(body.length)}`,
    ...lines,
    '',
    body,
  ].join('\r\n');
const body = (start: string, make: (bytes: number) => string, end: string) => (size: number) =>
  post(start + make(Math.floor((bodyBytesMax - start.length - end.length) * size)) + end);
/** An array of elements, up to as many as are allowed. */
const array = (element: string) => (size: number) =>
  post(
    `[${Array(Math.floor((bodyValuesMax - 1) * size))
      .fill(element)
      .join()}]`,
  );

const bodies: Readonly<Record<string, Request>> = {
  'the number of spaces in a body': body('', (bytes) => repeat(' ', bytes), '{}'),
  'the depth of a body': body('', (bytes) => repeat('[', bytes), ''),
  'the number of arrays in a body': body('[', (bytes) => repeat('[],', bytes), '0]'),
  'the number of objects in a body': body('[', (bytes) => repeat('{},', bytes), '0]'),
  'the number of numbers in a body': body('[', (bytes) => repeat('1,', bytes), '0]'),
  'the number of numbers in a body, up to the limit': array('9223372036854775807'),
  'the number of strings in a body, up to the limit': array('"\\n"'),
  'the number of unknown fields': body('{', (bytes) => distinct(bytes, (name) => `"${name}":0,`), ''),
  'the number of unknown fields, up to the limit': (size) => {
    const count = Math.floor((bodyValuesMax - 1) * size);
    return post(`{${Array.from({ length: count }, (_, index) => `"${index.toString(36).padStart(60)}":0`).join()}}`);
  },
  'the number of fields of a name that is an object': (size) => {
    const count = Math.floor((bodyValuesMax - 2) * size);
    return post(`{"name":{${Array.from({ length: count }, (_, index) => `"${index.toString(36)}":0`).join()}}}`);
  },
  'the number of fields before one that is repeated': (size) => {
    const count = Math.floor((bodyValuesMax - 3) * size);
    return post(`{"a":0,${Array.from({ length: count }, (_, index) => `"b${String(index)}":0`).join()},"a":0}`);
  },
  'the length of an unknown field': body('{"', (bytes) => repeat('/~', bytes), '":0}'),
  'the length of a name': body('{"categoryId":7,"name":"', (bytes) => repeat('a', bytes), '"}'),
  'the number of spaces in a name': body('{"categoryId":7,"name":"', (bytes) => repeat(' ', bytes), '"}'),
  'the number of escapes in a name': body('{"categoryId":7,"name":"', (bytes) => repeat('\\u0041', bytes), '"}'),
  'the length of a name that is not closed': body('{"categoryId":7,"name":"', (bytes) => repeat('\\\\', bytes), ''),
  'the number of digits of a number': body('{"name":"Rex","categoryId":', (bytes) => repeat('1', bytes), '}'),
  'the number of digits of a fraction': body('{"name":"Rex","categoryId":1.', (bytes) => repeat('1', bytes), '}'),
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

  for (const [kind, request] of Object.entries({ ...targets, ...bodies })) {
    it(`grows at most linearly with ${kind}`, async () => {
      const [full = '', half = ''] = [1, 0.5].map((size) => request(size).replace('<key>', key));
      expect(await costRatio(server, full, half, ratioMax)).to.be.at.most(ratioMax);
    });
  }
});
