import { readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { RawConnection } from '@contract-server/test-support/clients/raw-connection.js';
import { startStreams, waitingIterator } from '@contract-server/test-support/servers/streams.js';
import { temporaryDirectory } from '@contract-server/test-support/temporary-directory.js';
import { expect } from 'chai';
import { file } from '#src/index.js';

const requestOf = (path: string, header = '') => `GET /v1${path} HTTP/1.1\r\nHost: a\r\n${header}\r\n`;
const json = requestOf('/json');

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await nextIteration();
}

/** A server whose stream of each path waits after its first item, and whose JSON has about 1 kB. */
async function start(env: Readonly<Record<string, string>> = {}) {
  const [streams, signals]: [ReturnType<typeof waitingIterator>[], AbortSignal[]] = [[], []];
  let count = 0;
  const service = await startStreams(
    ({ operationId, signal }) => {
      count += 1;
      if (operationId === 'getJson') return { count, padding: 'x'.repeat(1000) };
      const stream = waitingIterator<unknown>(operationId === 'watchBooks' ? { data: { id: 1 } } : { id: 1 });
      streams.push(stream);
      signals.push(signal);
      return stream.source;
    },
    { env },
  );
  /** Requests a stream, and waits for its first item. */
  const open = async (bytes: string) => {
    const connection = await RawConnection.open(service, bytes);
    await until(() => connection.rest.includes('"id":1'));
    return connection;
  };
  const returned = () => Promise.all(streams.map((stream) => stream.returned));
  return { ...service, streams, signals, open, returned, handled: () => count };
}

describe('a client that pipelines requests behind a stream', () => {
  it('receives the responses in their order, up to 100 at a time', async () => {
    const { open, streams, handled } = await start();
    const connection = await open(requestOf('/books'));
    connection.send(json.repeat(99));
    await until(() => handled() === 100);
    await streams[0]?.source[Symbol.asyncIterator]().return?.();
    await until(() => connection.rest.includes('"count":100'));
    const counts = [...connection.rest.matchAll(/"count":(\d+)/g)].map(([, digits]) => Number(digits));
    expect(counts).to.deep.equal(Array.from({ length: 99 }, (_, index) => index + 2));
  });

  for (const path of ['/books', '/events'])
    for (const [what, requests] of [
      ['JSON', json],
      ['streams', requestOf(path)],
    ] as const)
      it(`is disconnected if it sends more: ${what} behind ${path}, without a warning`, async () => {
        const warnings: Error[] = [];
        const warn = (warning: Error) => void warnings.push(warning);
        process.on('warning', warn);
        const { open, returned, reported } = await start();
        const connection = await open(requestOf(path));
        connection.send(requests.repeat(100));
        await connection.whenEnded();
        await returned();
        process.off('warning', warn);
        expect([warnings, reported]).to.deep.equal([[], []]);
      });

  it('is disconnected if it sends more together with the request for the stream', async () => {
    const { server, returned } = await start();
    const connection = await RawConnection.open({ server }, requestOf('/books') + json.repeat(100));
    await connection.whenEnded();
    await returned();
  });

  it('is disconnected if it sends more after the last request that is served', async () => {
    const { open, returned } = await start();
    const connection = await open(requestOf('/books', 'Connection: Upgrade\r\nUpgrade: other\r\n'));
    connection.send(json.repeat(100));
    await connection.whenEnded();
    await returned();
  });

  for (const how of ['end', 'endSending', 'reset'] as const)
    it(`can disconnect (${how}) although many responses wait: the stream ends, and its signal is aborted`, async () => {
      const { open, returned, signals, reported, handled } = await start();
      const connection = await open(requestOf('/books'));
      for (const expected of [41, 81]) {
        connection.send(json.repeat(40));
        await until(() => handled() === expected);
      }
      connection[how]();
      await returned();
      expect(signals.map(({ aborted }) => aborted)).to.deep.equal([true]);
      expect(reported).to.deep.equal([]);
    });

  it('can disconnect while other streams wait', async () => {
    const { open, returned, signals, handled } = await start();
    const connection = await open(requestOf('/books').repeat(3) + requestOf('/events'));
    await until(() => handled() === 4);
    connection.reset();
    await returned();
    expect(signals.map(({ aborted }) => aborted)).to.deep.equal([true, true, true, true]);
  });

  it('does not occupy MAX_CONCURRENT_REQUESTS with a stream that waits for its turn', async () => {
    const { open, baseUrl, handled } = await start({ MAX_CONCURRENT_REQUESTS: '1' });
    const connection = await open(requestOf('/books'));
    connection.send(requestOf('/books'));
    await until(() => handled() === 2);
    expect((await fetch(`${baseUrl}/json`)).status).to.equal(200);
  });
});

describe('a stream or a file behind another', () => {
  it('is opened when it is sent', async () => {
    const path = join(temporaryDirectory(), 'text');
    writeFileSync(path, 'file');
    const first = new Readable({ read: () => undefined });
    let reads = 0;
    async function* second() {
      reads += 1;
      yield await Promise.resolve('second');
    }
    const bodies = [first, second(), file(path), 'text'];
    const { server } = await startStreams(() => bodies.shift());
    const connection = await RawConnection.open({ server }, requestOf('/text').repeat(4));
    await until(() => bodies.length === 0);
    first.push('first');
    await until(() => connection.rest.includes('first'));
    expect([reads, openFiles(path)]).to.deep.equal([0, 0]);
    first.push(null);
    await until(() => connection.rest.endsWith('text'));
    expect(connection.rest).to.match(/first[^]*second[^]*file[^]*text$/);
  });
});

describe('a client that pipelines HEAD requests', () => {
  const path = join(temporaryDirectory(), 'text');
  writeFileSync(path, 'file');
  for (const [what, target] of Object.entries({ stream: '/books', file: '/text' }))
    it(`receives the responses to more than 100, as of requests without a body: ${what}`, async () => {
      const bodyOf = () => (target === '/text' ? file(path) : waitingIterator({ id: 1 }).source);
      const { server } = await startStreams(bodyOf);
      const connection = await RawConnection.open({ server }, requestOf(target).replace('GET', 'HEAD').repeat(300));
      for (let count = 0; count < 300; count += 1) expect((await connection.readResponse(true)).status).to.equal(200);
    });
});

describe('a client that pipelines requests behind one that takes long', () => {
  it('is disconnected if there are more than 100, but receives the responses to any number of others', async () => {
    let isLong = false;
    const { server, connections, log } = await startStreams(() => (isLong ? new Promise(() => undefined) : {}));
    const quick = await RawConnection.open({ server }, json.repeat(300));
    for (let count = 0; count < 300; count += 1) expect((await quick.readResponse()).status).to.equal(200);
    isLong = true;
    connections.longMs = 10;
    const long = await RawConnection.open({ server }, json.repeat(101));
    await long.whenEnded();
    const aborted = await log.first(101, ({ msg, aborted }) => msg === 'request' && aborted === true);
    expect(aborted).to.have.lengthOf(101);
  });
});

/** How many times this process has opened a file. */
function openFiles(path: string): number {
  const names = readdirSync('/proc/self/fd').map((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`);
    } catch {
      return undefined;
    }
  });
  return names.filter((name) => name === path).length;
}
