import { expect } from 'chai';
import { chunked, client, creationHead, get, json, lengthOf } from '../http/raw-requests.js';
import { sendRaw } from '../support/clients/raw-connection.js';
import { rexText } from '../support/pets.js';
import { startService, type TestService } from '../support/servers/service.js';

/** Twice the input may cost this many times the work: linear work costs twice as much, quadratic work four times. */
const ratioMax = 2.5;
const requestsPerRound = 5;
/** The first rounds warm up V8; further ones are needed on a busy machine. */
const [roundsMin, roundsMax] = [4, 50];
/** The largest inputs that the service accepts, in bytes. In short bodies, their values do not exceed their limit. */
const [targetMax, headerMax, bodyMax, shortBodyMax] = [8000, 15_500, 65_000, 8000];

const create = (...lines: readonly string[]) => creationHead(client, ...lines, lengthOf(rexText)) + rexText;
/** Sent in one chunk, because its length depends on the input. */
const post = (body: string) => `${creationHead(client, json, chunked)}<size>\r\n${body}\r\n0\r\n\r\n`;
/** A new client address for each request, because documents are limited per address. */
const download = (header: string) => get(client, '/openapi.json', 'X-Forwarded-For: <address>', `${header}: <input>`);
const origin = ['Origin: https://pets.example', 'Access-Control-Request-Method: GET'];
const preflight = get(client, '/v1/pets', ...origin, 'Access-Control-Request-Headers: <input>').replace(
  'GET',
  'OPTIONS',
);

/** Places of a large input in a request. */
const places: readonly (readonly [bytesMax: number, requests: readonly string[]])[] = [
  [targetMax, ['/<input>', '?<input>', '?cursor=<input>'].map((end) => get(client, `/v1/pets${end}`))],
  [
    headerMax,
    ['Idempotency-Key', 'Content-Encoding', 'X-Forwarded-For'].map((name) => create(json, `${name}: <input>`)),
  ],
  [headerMax, [create(`${json};<input>`), get({ token: '<input>' }), preflight]],
  [headerMax, ['If-None-Match', 'Accept-Encoding'].map(download)],
  ...[bodyMax, shortBodyMax].map((bytesMax) => {
    const bodies = ['<input>{}', '<input>', '[<input>0]', '{"a":0,<input>"a":0}', '{"categoryId":<input>,"name":"x"}'];
    return [bytesMax, [...bodies, '{"categoryId":7,"name":"<input>"}', '{"name":"<input>'].map(post)] as const;
  }),
];
/** What an input repeats. Numbers make pieces different. */
const pieces = [
  ...['1', ' ', 'a&', 'a=1&', '<n>=1;', '%31', '"a",', '\\"', '\\\\', '\\u0041', '[', '1,', '9223372036854775807,'],
  ...['"<n>":0,', '<n>=1&', '::1,', 'gzip;q=0.1,', 'identity,', 'pets_live_'],
];

function inputOf(request: string, piece: string, bytes: number): string {
  let input = '';
  for (let index = 0; input.length < bytes; index += 1) input += piece.replace('<n>', String(index).padStart(4, 'x'));
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
  const expectLinear = async (request: string, piece: string, bytesMax: number) => {
    const [full, half] = [inputOf(request, piece, bytesMax), inputOf(request, piece, bytesMax / 2)];
    let [fullUs, halfUs] = [Infinity, Infinity];
    // Rounds of both alternate, and the cheapest round of each counts, because other processes only add time.
    for (let round = 1; round <= roundsMin || (round <= roundsMax && fullUs > ratioMax * halfUs); round += 1) {
      fullUs = Math.min(fullUs, await measure(full));
      halfUs = Math.min(halfUs, await measure(half));
    }
    expect(fullUs / halfUs, piece).to.be.at.most(ratioMax);
  };

  for (const [bytesMax, requests] of places)
    for (const request of requests)
      it(`grows at most linearly with ${String(bytesMax)} bytes in ${/.*<input>.*/.exec(request)?.[0] ?? ''}`, async () => {
        for (const piece of pieces) await expectLinear(request.replace(client.token, service.token), piece, bytesMax);
      });
});
