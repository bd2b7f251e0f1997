import { openSync } from 'node:fs';
import { expect } from 'chai';
import { RawConnection } from '../support/clients/raw-connection.js';
import { readMetrics } from '../support/metrics.js';
import { createUnlimitedKey, ServerProcess } from '../support/servers/server-process.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

/** Twice the input may cost this many times the work: linear work costs twice as much, quadratic work four times. */
const ratioMax = 2.5;
/** A round sends a request until the server has used about this much CPU time, in microseconds. */
const roundUs = 10_000;
/** The first rounds warm up V8; further ones are needed on a busy machine. */
const [roundsMin, roundsMax] = [6, 50];
/** The largest inputs that the service accepts: bytes of a target, of headers, of a body, and numbers of values. */
const [targetMax, headerMax, bodyMax, parametersMax, valuesMax] = [8000, 15_500, 65_000, 100, 990];

const fill = (text: string, bytes: number) => text.repeat(Math.floor(bytes / text.length));
const list = (count: number, text: (index: number) => string) =>
  Array.from({ length: Math.floor(count) }, (_, index) => text(index)).join('');
const message = (line: string, headers: string, body = '') =>
  `${line} HTTP/1.1\r\nHost: pets.example\r\nAuthorization: Bearer <key>\r\n${headers}\r\n${body}`;
const get = (target: string, headers = '') => message(`GET ${target}`, headers);
const json = 'Content-Type: application/json\r\n';
const post = (body: string, headers = '') =>
  message('POST /v1/pets', `${json}Content-Length: ${String(body.length)}\r\n${headers}`, body);
const chunked = (chunks: string) => message('POST /v1/pets', `${json}Transfer-Encoding: chunked\r\n`, chunks);
const rex = '{"name":"Rex","categoryId":7}';
/** A new client address for each request, because documents are limited per address. */
const document_ = (header: string) => get('/openapi.json', `X-Forwarded-For: <address>\r\n${header}\r\n`);

/** A request with an input of a size relative to the maximum. */
const requests: Readonly<Record<string, (size: number) => string>> = {
  'the number of path segments': (size) => get(`/v1/pets${fill('/a', targetMax * size)}`),
  'the number of percent escapes in a path parameter': (size) => get(`/v1/pets/${fill('%31', targetMax * size)}`),
  'the number of times that a query parameter is repeated': (size) => get(`/v1/pets?${fill('a&', targetMax * size)}`),
  'the number of different query parameters': (size) =>
    get(`/v1/pets?${list((targetMax / 5) * size, (index) => `${index.toString(36).padStart(4, 'x')}&`)}`),
  'the number of query parameters, up to the limit': (size) =>
    get(`/v1/pets?${fill('limit=1&', parametersMax * 8 * size)}`),
  'the length of a cursor': (size) => get(`/v1/pets?cursor=${fill('M', targetMax * size)}`),
  'the number of header lines': (size) =>
    get(
      '/v1/pets',
      list((headerMax / 8) * size, (index) => `${index.toString(36).padStart(4, 'x')}: \r\n`),
    ),
  'the length of an API key': (size) => get('/v1/pets').replace('<key>', fill('pets_live_', headerMax * size)),
  'the length of X-Request-Id': (size) => get('/v1/pets', `X-Request-Id: ${fill('x', headerMax * size)}\r\n`),
  'the length of traceparent': (size) => get('/v1/pets', `traceparent: ${fill('00-', headerMax * size)}\r\n`),
  'the length of Idempotency-Key': (size) => post(rex, `Idempotency-Key: "${fill('\\"', headerMax * size)}"\r\n`),
  'the number of parameters of Content-Type': (size) =>
    post(rex).replace(
      'json',
      `json;${list((headerMax / 7) * size, (index) => `${index.toString(36).padStart(4, 'x')}=1;`)}`,
    ),
  'the number of content codings': (size) => post(rex, `Content-Encoding: ${fill('identity,', headerMax * size)}\r\n`),
  'the number of addresses in X-Forwarded-For': (size) =>
    get('/v1/pets', `X-Forwarded-For: ${fill('::1,', headerMax * size)}\r\n`),
  'the number of headers that a CORS preflight request lists': (size) =>
    get(
      '/v1/pets',
      `Access-Control-Request-Method: GET\r\nAccess-Control-Request-Headers: ${fill('a,', headerMax * size)}\r\n`,
    )
      .replace('GET', 'OPTIONS')
      .replace('Host', 'Origin: https://pets.example\r\nHost'),
  'the number of entity tags in If-None-Match': (size) => document_(`If-None-Match: ${fill('"a",', headerMax * size)}`),
  'the number of weights in Accept-Encoding': (size) =>
    document_(`Accept-Encoding: ${fill('gzip;q=0.1,', headerMax * size)}`),
  'the number of spaces in a body': (size) => post(`${fill(' ', bodyMax * size)}{}`),
  'the depth of a body': (size) => post(fill('[', bodyMax * size)),
  'the number of numbers in a body': (size) => post(`[${fill('1,', bodyMax * size)}0]`),
  'the number of large numbers in a body, up to the limit': (size) =>
    post(`[${fill('9223372036854775807,', valuesMax * 20 * size)}0]`),
  'the number of unknown fields, up to the limit': (size) =>
    post(`{${list(valuesMax * size, (index) => `"${String(index).padStart(55)}":0,`)}"name":0}`),
  'the number of fields before one that is repeated': (size) =>
    post(`{"a":0,${list(valuesMax * size, (index) => `"b${String(index)}":0,`)}"a":0}`),
  'the number of spaces in a name': (size) => post(`{"categoryId":7,"name":"${fill(' ', bodyMax * size)}"}`),
  'the number of escapes in a name': (size) => post(`{"categoryId":7,"name":"${fill('\\u0041', bodyMax * size)}"}`),
  'the length of a name that is not closed': (size) => post(`{"categoryId":7,"name":"${fill('\\\\', bodyMax * size)}`),
  'the number of digits of a number': (size) => post(`{"name":"Rex","categoryId":${fill('1', bodyMax * size)}}`),
  'the number of chunks': (size) => chunked(`${'1\r\n \r\n'.repeat(bodyMax * size)}0\r\n\r\n`),
};

describe('The CPU time that a request costs', function () {
  this.timeout(60_000);
  let server: ServerProcess;
  let key: string;
  before(async () => {
    const directory = temporaryDirectory();
    key = await createUnlimitedKey(directory);
    const env = { TRUST_PROXY: '127.0.0.0/8', CORS_ORIGINS: 'https://pets.example', METRICS_PORT: '0' };
    server = await ServerProcess.start({ DATA_DIR: directory, ...env }, { stdout: openSync('/dev/null', 'w') });
    await server.waitForStderr(/Metrics .+\n/);
  });

  const cpuUs = async () => ((await readMetrics(server.metricsUrl)).get('process_cpu_seconds_total') ?? NaN) * 1e6;
  let sent = 0;

  /** The CPU time of one request, sent several times on one connection as long as the server keeps it open. */
  async function measure(request: string, times: number): Promise<number> {
    const startedAt = await cpuUs();
    let connection: RawConnection | undefined;
    for (let time = 0; time < times; time += 1) {
      connection ??= await RawConnection.openTo(server);
      sent += 1;
      connection.send(request.replace('<address>', `10.0.${String(sent >> 8)}.${String(sent & 255)}`));
      const { headers } = await connection.readResponse();
      if (headers['connection'] !== 'close') continue;
      connection.end();
      connection = undefined;
    }
    connection?.end();
    return ((await cpuUs()) - startedAt) / times;
  }

  for (const [kind, request] of Object.entries(requests)) {
    it(`grows at most linearly with ${kind}`, async () => {
      const [full, half] = [1, 0.5].map((size) => ({ text: request(size).replace('<key>', key), leastUs: Infinity }));
      if (full === undefined || half === undefined) throw new RangeError('There are no requests.');
      // Rounds of both alternate, and the cheapest round of each counts, because other processes only add time.
      for (let round = 1; round <= roundsMax; round += 1) {
        for (const each of [full, half]) {
          const times = Math.ceil(roundUs / Math.min(each.leastUs, roundUs));
          each.leastUs = Math.min(each.leastUs, await measure(each.text, times));
        }
        if (round >= roundsMin && full.leastUs <= ratioMax * half.leastUs) return;
      }
      expect(full.leastUs / half.leastUs).to.be.at.most(ratioMax);
    });
  }
});
