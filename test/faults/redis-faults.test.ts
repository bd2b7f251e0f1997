import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { describeWithRedis, eventually, RedisServer } from '@contract-server/test-support/redis/redis-server.js';
import { TcpProxy } from '@contract-server/test-support/servers/tcp-proxy.js';
import { expect } from 'chai';
import type { PetClient } from '../support/clients/pet-client.js';
import { type ServerProcess, startWithKey } from '../support/servers/server-process.js';

/** Responses take at most 250 ms longer; a busy machine can delay them by more than that. */
const responseMs = 1000;
const returnMs = 5000;
/** Maximum length of a log line, whatever Redis sends, in characters. */
const logLineMax = 3000;

/** The response to a command of a node instead of the reply of Redis. */
type Fault = (socket: Socket, reply: string) => unknown;
/** When Redis becomes faulty: for a new connection, after its first reply, or at a decision about a request. */
type FaultyFrom = 'hello' | 'connected' | 'request';

const sends =
  (text: string): Fault =>
  (socket) =>
    socket.write(text, 'latin1');
/** Replaces the numbers of each decision. */
const decides = (...numbers: readonly string[]): Fault => {
  const decision = `*${String(numbers.length)}\r\n${numbers.map((number) => `${number}\r\n`).join('')}`;
  return (socket, reply) => socket.write(reply.replaceAll(/\*9\r\n(?::\d+\r\n){9}/g, decision));
};
const now = `:${String(Date.now())}`;

const sendSlowly: Fault = async (socket, reply) => {
  for (const character of reply) {
    if (socket.destroyed) return;
    socket.write(character);
    await delay(20);
  }
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

const faults: readonly (readonly [title: string, from: FaultyFrom, fault: Fault])[] = [
  ['has no memory left', 'request', sends("-OOM command not allowed when used memory > 'maxmemory'.\r\n")],
  ['is a replica', 'request', sends("-READONLY You can't write against a read only replica.\r\n")],
  ['does not load its script', 'request', sends('-NOSCRIPT No matching script.\r\n')],
  ['returns a long error', 'request', sends(`-ERR ${'x'.repeat(1_000_000)}\r\n`)],
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
  ['sends too few numbers', 'request', decides(now, ':0', ':0')],
  ['knows no time', 'request', decides('_', ':0', ':0', now, ':1', ':0', now, ':1', ':0')],
  ['sends a huge number', 'request', decides(now, ':0', ':0', '(99999999999999999999', ':1', ':0', now, ':1', ':0')],
];

describeWithRedis('a server whose Redis fails', function () {
  this.timeout(60_000);
  let proxy: TcpProxy;
  let server: ServerProcess;
  let client: PetClient;
  /** How often the current fault has occurred. */
  let begun = 0;
  before(async () => {
    proxy = await TcpProxy.before((await RedisServer.start()).port);
    ({ server, client } = await startWithKey({ REDIS_URL: `redis://127.0.0.1:${String(proxy.port)}` }));
  });

  function begin(from: FaultyFrom, fault: Fault): void {
    begun = 0;
    proxy.deliver = (socket, response, request) => {
      const command = request.toString('latin1');
      // Before a node uses a connection, it decides about a probe.
      const isRequest = command.includes('EVAL') && !command.includes(':probe');
      if (from === 'hello' || isRequest || (from === 'connected' && !command.includes('HELLO'))) {
        begun += 1;
        return fault(socket, response.toString('latin1'));
      }
      return socket.write(response);
    };
  }

  /** One request, which must have its response in time, with all of its headers. */
  async function assertServed(): Promise<void> {
    const { status, headers, ms } = await client.list();
    expect(ms).to.be.lessThan(responseMs);
    expect(status).to.equal(200);
    for (const name of ['limit', 'remaining', 'reset']) expect(headers[`x-ratelimit-${name}`]).to.match(/^[0-9]+$/);
    expect(Number(headers['x-ratelimit-reset']) * 1000).to.be.greaterThan(Date.now() - responseMs);
  }

  async function isServed(): Promise<boolean> {
    await Promise.all(Array.from({ length: 4 }, assertServed));
    return begun > 0;
  }

  for (const [title, from, fault] of faults)
    it(`serves every request in time while it ${title}`, async () => {
      begin('request', (socket, reply) => socket.write(reply));
      await eventually('it was used', isServed, returnMs);
      begin(from, fault);
      if (from === 'hello') proxy.cut();
      await eventually('it was faulty', isServed, returnMs);
      for (let round = 0; round < 10; round += 1) {
        await isServed();
        await delay(20);
      }
    });

  it('uses it again when it recovers, and has logged each reason briefly', async () => {
    const reportedBefore = server.outages.length;
    begin('request', (socket, reply) => socket.write(reply));
    proxy.cut();
    const isBack = () => server.outages.slice(reportedBefore).some((line) => / is available again\. /.test(line));
    await eventually('it was used again', isBack, returnMs);
    await assertServed();
    for (const line of server.outages) expect(line.length).to.be.below(logLineMax);
    expect(server.lines.filter(({ level }) => level === 'error')).to.deep.equal([]);
    await server.stop();
  });
});
