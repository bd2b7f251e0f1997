import { Session } from 'node:inspector/promises';
import { sendRaw } from '@contract-server/test-support/clients/raw-connection.js';
import { chunked, creationHead, get, json, lengthOf } from '@contract-server/test-support/clients/raw-requests.js';
import { expect } from 'chai';
import { rexText } from '../support/pets.js';
import { startService, type TestService } from '../support/servers/service.js';

/** Twice the input may execute this many times the code: linear code twice as much, quadratic code four times. */
const ratioMax = 2.5;
/** The largest inputs that the service accepts, in bytes. In short bodies, their values do not exceed their limit. */
const [targetMax, headerMax, bodyMax, shortBodyMax] = [8000, 15_500, 65_000, 8000];

const client = { token: '<key>', path: '/v1/pets' };
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
  [headerMax, [create(`${json};<input>`), get({ ...client, token: '<input>' }), preflight]],
  [headerMax, ['If-None-Match', 'Accept-Encoding'].map(download)],
  ...[bodyMax, shortBodyMax].map((bytesMax) => {
    const objects = ['{"a":0,<input>"a":0}', '{<input>"a":0}', '{"categoryId":<input>,"name":"x"}'];
    const names = ['{"categoryId":7,"name":"<input>"}', '{"name":"<input>'];
    return [bytesMax, ['<input>{}', '<input>', '[<input>0]', ...objects, ...names].map(post)] as const;
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

describe('The code that a request executes', function () {
  this.timeout(60_000);
  let service: TestService;
  const session = new Session();
  before(async () => {
    const env = { TRUST_PROXY: '127.0.0.0/8', CORS_ORIGINS: 'https://pets.example', LOG_LEVEL: 'silent' };
    service = await startService(env);
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  });
  after(() => session.disconnect());

  let sent = 0;
  /**
   * How often V8 executes the blocks of the service and its dependencies, on any machine. What V8 itself does, such as
   * matching a regular expression, counts once.
   */
  const measure = async (request: string) => {
    await session.post('Profiler.takePreciseCoverage');
    sent += 1;
    await sendRaw(service, request.replace('<address>', `10.0.${String(sent >> 8)}.${String(sent & 255)}`));
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const scripts = result.filter(({ url }) => !/\/build\/test\/|\/mocha\//.test(url));
    return scripts
      .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges))
      .reduce((sum, { count }) => sum + count, 0);
  };
  const expectLinear = async (request: string, piece: string, bytesMax: number) => {
    const [full, half] = [inputOf(request, piece, bytesMax), inputOf(request, piece, bytesMax / 2)];
    // The first request loads code.
    await measure(half);
    let ratio = Infinity;
    // Measured again if it is too large, because the service may have run a scheduled task meanwhile.
    for (let attempt = 0; attempt < 3 && ratio > ratioMax; attempt += 1)
      ratio = (await measure(full)) / (await measure(half));
    expect(ratio, piece).to.be.at.most(ratioMax);
  };

  for (const [bytesMax, requests] of places)
    for (const request of requests)
      it(`grows at most linearly with ${String(bytesMax)} bytes in ${/.*<input>.*/.exec(request)?.[0] ?? ''}`, async () => {
        for (const piece of pieces) await expectLinear(request.replace(client.token, service.token), piece, bytesMax);
      });
});
