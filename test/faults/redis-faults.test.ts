import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { get } from '../support/clients/get.js';
import { decisions, type Fault, type FaultyFrom, FaultyRedis } from '../support/redis/faulty-redis.js';
import { describeWithRedis, eventually, RedisServer } from '../support/redis/redis-server.js';
import { createUnlimitedKey, ServerProcess } from '../support/servers/server-process.js';
import { SlowProxy } from '../support/servers/slow-proxy.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

/** Responses take at most 250 ms longer; a busy machine can delay them by more than that. */
const responseMs = 1000;
const returnMs = 5000;
/** Maximum length of a log line, whatever Redis sends, in characters. */
const logLineMax = 3000;

const sends =
  (text: string): Fault =>
  (socket) =>
    socket.write(text, 'latin1');
const decides =
  (...numbers: readonly (number | string)[]): Fault =>
  (socket, _reply, keyCount) =>
    socket.write(decisions(keyCount, ...numbers));
const now = Date.now();

const sendSlowly: Fault = (socket, reply) => {
  void (async () => {
    for (const character of reply) {
      if (socket.destroyed) return;
      socket.write(character);
      await delay(20);
    }
  })();
};

const sendEndlessly: Fault = (socket) => {
  const part = Buffer.alloc(65_536, 'x');
  const send = () => {
    while (!socket.destroyed && socket.write(part));
    if (!socket.destroyed) socket.once('drain', send);
  };
  socket.write('$1000000000000\r\n');
  send();
};

const errors = [
  "OOM command not allowed when used memory > 'maxmemory'.",
  "READONLY You can't write against a read only replica.",
  'LOADING Redis is loading the dataset in memory',
  'NOSCRIPT No matching script.',
  `ERR ${'x'.repeat(1_000_000)}`,
];

const faults: readonly (readonly [title: string, from: FaultyFrom, fault: Fault])[] = [
  ...errors.map((error) => [`returns the error ${error.slice(0, 20)}`, 'request', sends(`-${error}\r\n`)] as const),
  ['returns an error for every command', 'hello', sends('-LOADING Redis is loading the dataset in memory\r\n')],
  ['is a web server', 'hello', sends('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ['does not respond', 'hello', () => undefined],
  ['does not respond once it is connected', 'connected', () => undefined],
  ['does not respond to requests', 'request', () => undefined],
  ['closes connections', 'hello', (socket) => socket.destroy()],
  ['closes connections at requests', 'request', (socket) => socket.end()],
  ['sends random bytes', 'request', sends('\x00\xff\x80*$\r\n\x01'.repeat(100))],
  ['sends a number', 'request', sends(':1\r\n')],
  ['sends nothing of a reply but its beginning', 'request', sends('*5\r\n_\r\n')],
  ['sends a reply byte by byte', 'request', sendSlowly],
  ['sends many replies', 'request', sends(':1\r\n'.repeat(1000))],
  ['sends arrays in arrays', 'request', sends('*1\r\n'.repeat(100_000))],
  ['sends an endless reply', 'request', sendEndlessly],
  ['decides about no request', 'request', sends('*0\r\n')],
  ['sends too few numbers', 'request', decides(now, 0, 0)],
  ['knows no time', 'request', decides('_', 0, 0, now, 1, 0, now, 1, 0)],
  ['sends a number that is too large', 'request', decides(now, 0, 0, '(99999999999999999999', 1, 0, now, 1, 0)],
];

describeWithRedis('a server whose Redis fails', function () {
  this.timeout(60_000);
  let redis: RedisServer;
  let faulty: FaultyRedis;
  let proxy: SlowProxy;
  let server: ServerProcess;
  let token: string;
  let agent: Agent;
  before(async () => {
    redis = await RedisServer.start();
    faulty = await FaultyRedis.start();
    proxy = await SlowProxy.before(redis.port);
    const directory = temporaryDirectory();
    server = await ServerProcess.start({ DATA_DIR: directory, REDIS_URL: proxy.url });
    token = await createUnlimitedKey(directory);
    agent = new Agent({ keepAlive: true, maxSockets: 8 });
    proxy.target = faulty.port;
    proxy.cut();
  });
  after(async () => {
    agent.destroy();
    expect(await server.stop()).to.deep.equal({ code: 0, signal: null });
    proxy.close();
    faulty.close();
    await redis.kill();
  });

  /** One request, which must have its response in time, with all of its headers. */
  async function assertServed(): Promise<void> {
    const startedAt = performance.now();
    const { statusCode, headers } = await get(`${server.baseUrl}/pets`, token, agent);
    expect(performance.now() - startedAt).to.be.lessThan(responseMs);
    expect(statusCode).to.equal(200);
    for (const name of ['limit', 'remaining', 'reset']) expect(headers[`x-ratelimit-${name}`]).to.match(/^[0-9]+$/);
    expect(Number(headers['x-ratelimit-reset']) * 1000).to.be.greaterThan(Date.now() - responseMs);
  }

  for (const [title, from, fault] of faults) {
    it(`serves every request in time while it ${title}`, async () => {
      const isServed = async () => {
        await Promise.all(Array.from({ length: 4 }, assertServed));
        return faulty.begun > 0;
      };
      faulty.begin('request', (socket, reply) => socket.write(reply));
      await eventually('it was used', isServed, returnMs);
      faulty.begin(from, fault);
      if (from === 'hello') proxy.cut();
      await eventually('it was faulty', isServed, returnMs);
      for (let round = 0; round < 10; round += 1) {
        await isServed();
        await delay(20);
      }
    });
  }

  it('uses it again when it recovers, and has logged each reason briefly', async () => {
    const reportedBefore = server.outages.length;
    proxy.target = redis.port;
    proxy.cut();
    const isBack = () => server.outages.slice(reportedBefore).some((line) => / is available again\. /.test(line));
    await eventually('it was used again', isBack, returnMs);
    await assertServed();
    for (const line of server.outages) expect(line.length).to.be.below(logLineMax);
    expect(server.lines.filter(({ level }) => level === 'error')).to.deep.equal([]);
  });
});
