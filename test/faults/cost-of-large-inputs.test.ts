import { expect } from 'chai';
import { chunked, client, creationHead, get, json, lengthOf } from '../http/raw-requests.js';
import { sendRaw } from '../support/clients/raw-connection.js';
import { rexText } from '../support/pets.js';
import { startService, type TestService } from '../support/servers/service.js';

/** Twice the input may cost this many times the work: linear work costs twice as much, quadratic work four times. */
const ratioMax = 2.5;
const requestsPerRound = 10;
/** The first rounds warm up V8; further ones are needed on a busy machine. */
const [roundsMin, roundsMax] = [6, 50];
/** The largest inputs that the service accepts, in bytes: a target, headers and a body. */
const [targetMax, headerMax, bodyMax] = [8000, 15_500, 65_000];

type Piece = string | ((index: number) => string);
/** Pieces with different names. */
const named =
  (start: string, end: string): Piece =>
  (index) =>
    start + index.toString(36).padStart(4, 'x') + end;

const preflight =
  'Origin: https://pets.example\r\nAccess-Control-Request-Method: GET\r\nAccess-Control-Request-Headers';
const list = (header: string) => get(client, '/v1/pets', header);
/** A new client address for each request, because documents are limited per address. */
const download = (header: string) => get(client, '/openapi.json', 'X-Forwarded-For: <address>', header);
const create = (...lines: readonly string[]) => creationHead(client, ...lines, lengthOf(rexText)) + rexText;
/** Sent in one chunk, because its length depends on the input. */
const post = (body: string) => `${creationHead(client, json, chunked)}<size>\r\n${body}\r\n0\r\n\r\n`;

/** Requests with a large input in a place, what it repeats, and its maximum in bytes. */
const inputs: readonly (readonly [kind: string, request: string, piece: Piece, bytesMax: number])[] = [
  ['the number of percent escapes in a path parameter', get(client, '/v1/pets/<input>'), '%31', targetMax],
  ['the number of times that a query parameter is repeated', get(client, '/v1/pets?<input>'), 'a&', targetMax],
  ['the number of different query parameters', get(client, '/v1/pets?<input>'), named('', '&'), targetMax],
  ['the number of query parameters, up to the limit', get(client, '/v1/pets?<input>'), 'limit=1&', 800],
  ['the length of a cursor', get(client, '/v1/pets?cursor=<input>'), 'M', targetMax],
  ['the length of an API key', get({ token: '<input>' }), 'pets_live_', headerMax],
  ['the number of addresses in X-Forwarded-For', list('X-Forwarded-For: <input>'), '::1,', headerMax],
  ['the headers in a CORS preflight request', list(`${preflight}: <input>`).replace('GET', 'OPTIONS'), 'a,', headerMax],
  ['the number of entity tags in If-None-Match', download('If-None-Match: <input>'), '"a",', headerMax],
  ['the number of weights in Accept-Encoding', download('Accept-Encoding: <input>'), 'gzip;q=0.1,', headerMax],
  ['the length of Idempotency-Key', create(json, 'Idempotency-Key: "<input>"'), '\\"', headerMax],
  ['the number of content codings', create(json, 'Content-Encoding: <input>'), 'identity,', headerMax],
  ['the number of parameters of Content-Type', create(`${json};<input>`), named('', '=1;'), headerMax],
  ['the number of spaces in a body', post('<input>{}'), ' ', bodyMax],
  ['the depth of a body', post('<input>'), '[', bodyMax],
  ['the number of numbers in a body', post('[<input>0]'), '1,', bodyMax],
  ['the number of large numbers, up to the limit', post('[<input>0]'), '9223372036854775807,', 19_800],
  ['the number of unknown fields, up to the limit', post('{<input>"name":0}'), named('"', '":0,'), 8900],
  ['the number of fields before a repeated one', post('{"a":0,<input>"a":0}'), named('"', '":0,'), 8900],
  ['the number of spaces in a name', post('{"categoryId":7,"name":"<input>"}'), ' ', bodyMax],
  ['the number of escapes in a name', post('{"categoryId":7,"name":"<input>"}'), '\\u0041', bodyMax],
  ['the length of a name that is not closed', post('{"categoryId":7,"name":"<input>'), '\\\\', bodyMax],
  ['the number of digits of a number', post('{"name":"Rex","categoryId":<input>}'), '1', bodyMax],
];

function inputOf(request: string, piece: Piece, bytes: number): string {
  let input = '';
  for (let index = 0; input.length < bytes; index += 1) input += typeof piece === 'string' ? piece : piece(index);
  const text = request.replace('<input>', () => input);
  const [, chunk = ''] = /<size>\r\n(.*)\r\n0\r\n\r\n$/.exec(text) ?? [];
  return text.replace('<size>', chunk.length.toString(16));
}

describe('The CPU time that a request costs', function () {
  this.timeout(60_000);
  let service: TestService;
  before(async () => {
    const env = { TRUST_PROXY: '127.0.0.0/8', CORS_ORIGINS: 'https://pets.example', LOG_LEVEL: 'silent' };
    service = await startService(env);
  });

  let sent = 0;
  const measure = async (request: string) => {
    const before = process.cpuUsage();
    for (let time = 0; time < requestsPerRound; time += 1) {
      sent += 1;
      await sendRaw(service, request.replace('<address>', `10.0.${String(sent >> 8)}.${String(sent & 255)}`));
    }
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };

  for (const [kind, request, piece, bytesMax] of inputs) {
    it(`grows at most linearly with ${kind}`, async () => {
      const text = request.replace(client.token, service.token);
      const [full, half] = [inputOf(text, piece, bytesMax), inputOf(text, piece, bytesMax / 2)];
      let [fullUs, halfUs] = [Infinity, Infinity];
      // Rounds of both alternate, and the cheapest round of each counts, because other processes only add time.
      for (let round = 1; round <= roundsMin || (round <= roundsMax && fullUs > ratioMax * halfUs); round += 1) {
        fullUs = Math.min(fullUs, await measure(full));
        halfUs = Math.min(halfUs, await measure(half));
      }
      expect(fullUs / halfUs).to.be.at.most(ratioMax);
    });
  }
});
