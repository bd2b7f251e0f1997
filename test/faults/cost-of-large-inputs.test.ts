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
/** The largest inputs that the service accepts, in bytes: a target, headers and a body. */
const [targetMax, headerMax, bodyMax] = [8000, 15_500, 65_000];

/** A request, and its CPU time in the cheapest round. */
interface Measured {
  readonly text: string;
  leastUs: number;
}

type Piece = string | ((index: number) => string);

const message = (line: string, headers: string, body = '') =>
  `${line} HTTP/1.1\r\nHost: pets.example\r\nAuthorization: Bearer <key>\r\n${headers}\r\n${body}`;
const get = (target: string) => message(`GET ${target}`, '');
const list = (header: string) => message('GET /v1/pets', `${header}\r\n`);
/** A new client address for each request, because documents are limited per address. */
const document_ = (header: string) => message('GET /openapi.json', `X-Forwarded-For: <address>\r\n${header}\r\n`);
const json = 'Content-Type: application/json';
const post = (body: string, header = json) =>
  message('POST /v1/pets', `${header}\r\nContent-Length: <length>\r\n`, body);
const create = (header: string) => post('{"name":"Rex","categoryId":7}', `${json}\r\n${header}`);
const withName = (name: string) => post(`{"categoryId":7,"name":"${name}`);
const preflight =
  'Origin: https://pets.example\r\nAccess-Control-Request-Method: GET\r\nAccess-Control-Request-Headers';
/** Pieces with different names. */
const named =
  (start: string, end: string): Piece =>
  (index) =>
    start + index.toString(36).padStart(4, 'x') + end;

/** Requests with a large input in a place, what it repeats, and its maximum in bytes. */
const inputs: readonly (readonly [kind: string, request: string, piece: Piece, bytesMax: number])[] = [
  ['the number of percent escapes in a path parameter', get('/v1/pets/<input>'), '%31', targetMax],
  ['the number of times that a query parameter is repeated', get('/v1/pets?<input>'), 'a&', targetMax],
  ['the number of different query parameters', get('/v1/pets?<input>'), named('', '&'), targetMax],
  ['the number of query parameters, up to the limit', get('/v1/pets?<input>'), 'limit=1&', 800],
  ['the length of a cursor', get('/v1/pets?cursor=<input>'), 'M', targetMax],
  ['the length of an API key', get('/v1/pets').replace('<key>', '<input>'), 'pets_live_', headerMax],
  ['the number of addresses in X-Forwarded-For', list('X-Forwarded-For: <input>'), '::1,', headerMax],
  [
    'the headers in a CORS preflight request',
    message('OPTIONS /v1/pets', `${preflight}: <input>\r\n`),
    'a,',
    headerMax,
  ],
  ['the number of entity tags in If-None-Match', document_('If-None-Match: <input>'), '"a",', headerMax],
  ['the number of weights in Accept-Encoding', document_('Accept-Encoding: <input>'), 'gzip;q=0.1,', headerMax],
  ['the length of Idempotency-Key', create('Idempotency-Key: "<input>"'), '\\"', headerMax],
  ['the number of content codings', create('Content-Encoding: <input>'), 'identity,', headerMax],
  ['the number of parameters of Content-Type', post('{}', `${json};<input>`), named('', '=1;'), headerMax],
  ['the number of spaces in a body', post('<input>{}'), ' ', bodyMax],
  ['the depth of a body', post('<input>'), '[', bodyMax],
  ['the number of numbers in a body', post('[<input>0]'), '1,', bodyMax],
  ['the number of large numbers, up to the limit', post('[<input>0]'), '9223372036854775807,', 19_800],
  ['the number of unknown fields, up to the limit', post('{<input>"name":0}'), named('"', '":0,'), 8900],
  ['the number of fields before a repeated one', post('{"a":0,<input>"a":0}'), named('"', '":0,'), 8900],
  ['the number of spaces in a name', withName('<input>"}'), ' ', bodyMax],
  ['the number of escapes in a name', withName('<input>"}'), '\\u0041', bodyMax],
  ['the length of a name that is not closed', withName('<input>'), '\\\\', bodyMax],
  ['the number of digits of a number', post('{"name":"Rex","categoryId":<input>}'), '1', bodyMax],
];

function inputOf(request: string, piece: Piece, bytes: number): string {
  let input = '';
  for (let index = 0; input.length < bytes; index += 1) input += typeof piece === 'string' ? piece : piece(index);
  const text = request.replace('<input>', () => input);
  return text.replace('<length>', String(text.length - text.indexOf('\r\n\r\n') - 4));
}

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

  for (const [kind, request, piece, bytesMax] of inputs) {
    it(`grows at most linearly with ${kind}`, async () => {
      const [full, half] = [bytesMax, bytesMax / 2].map((bytes) => ({
        text: inputOf(request.replace('<key>', key), piece, bytes),
        leastUs: Infinity,
      })) as [Measured, Measured];
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
