import { once } from 'node:events';
import { Readable } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { RawConnection } from '@contract-server/test-support/clients/raw-connection.js';
import { startStreams, waitingIterator } from '@contract-server/test-support/servers/streams.js';
import { expect } from 'chai';

const requestOf = (path: string, method = 'GET') => `${method} /v1${path} HTTP/1.1\r\nHost: a\r\n\r\n`;

describe('the source of a stream', () => {
  it('that never waits leaves other requests their turn', async () => {
    async function* busy() {
      const turns: true[] = [];
      setImmediate(() => turns.push(true));
      while (turns.length === 0) yield await Promise.resolve('');
      yield 'done';
    }
    const { baseUrl } = await startStreams(busy);
    expect(await (await fetch(`${baseUrl}/text`)).text()).to.equal('done');
  });

  it('that never waits takes one turn in each iteration of the event loop, with any number of streams', async () => {
    let isBusy = true;
    let [iteration, reads, readsMax] = [0, new Set<unknown>(), 0];
    const count = () => {
      readsMax = Math.max(readsMax, reads.size);
      [iteration, reads] = [iteration + 1, new Set()];
      if (isBusy) setImmediate(count);
    };
    async function* busy() {
      const own = {};
      while (iteration < 50) {
        reads.add(own);
        // A turn is over after each item.
        for (const start = performance.now(); performance.now() < start + 2; );
        yield await Promise.resolve('');
      }
    }
    const { baseUrl } = await startStreams(busy);
    const texts = Array.from({ length: 10 }, async () => (await fetch(`${baseUrl}/text`)).text());
    count();
    await Promise.all(texts);
    isBusy = false;
    expect(readsMax).to.equal(1);
  });

  const failing: readonly (readonly [name: string, create: () => Readable])[] = [
    ['while it is constructed', () => new Readable({ objectMode: true, construct: (done) => done(new Error('lost')) })],
    ['while it is destroyed', () => new Readable({ objectMode: true, destroy: (_, done) => done(new Error('lost')) })],
    ['before it is read', () => new Readable({ objectMode: true }).destroy(new Error('lost'))],
  ];
  for (const [name, create] of failing)
    it(`can fail ${name}, also for a HEAD request`, async () => {
      const { server, baseUrl } = await startStreams(create);
      const connection = await RawConnection.open({ server }, requestOf('/text', 'HEAD'));
      expect(await connection.readResponse(true)).to.include({ status: 200 });
      expect((await fetch(`${baseUrl}/none`)).status).to.equal(404);
    });

  it('can have bytes that end within a line: heartbeats are sent between lines only', async () => {
    const [lines, rest] = ['event: added\n', 'data: {'];
    const sent = [rest, lines];
    const { server } = await startStreams(() => {
      const source = new Readable({ read: () => undefined });
      source.push(sent.shift());
      return source;
    });
    const within = await openAt({ server }, '/events', rest);
    const between = await openAt({ server }, '/events', lines);
    while (!between.rest.endsWith('\r\n2\r\n:\n\r\n')) await nextIteration();
    expect(within.rest).to.match(/\r\ndata: \{\r\n$/);
  });

  it('can wait for ever when the client disconnects: the stream ends', async () => {
    async function* stuck() {
      yield await Promise.resolve({ data: { id: 1 } });
      await new Promise(() => undefined);
    }
    const { server, log } = await startStreams(stuck);
    const arrived = once(server, 'request') as Promise<[unknown, NodeJS.EventEmitter]>;
    const connection = await RawConnection.open({ server }, requestOf('/events'));
    const [, response] = await arrived;
    while (!connection.rest.includes('data')) await nextIteration();
    const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const before = timers();
    connection.end();
    await once(response, 'close');
    await log.first(1, ({ msg }) => msg === 'request');
    while (timers() >= before) await nextIteration();
  });

  const refused: readonly (readonly [name: string, create: () => { source: unknown; returned: Promise<unknown> }])[] = [
    ['an iterator', () => waitingIterator()],
    ['a Node stream', nodeStream],
    ['a web stream', webStream],
  ];
  for (const [name, create] of refused)
    it(`is released if the contract does not declare the response: ${name}`, async () => {
      const { source, returned } = create();
      const { baseUrl } = await startStreams(() => source);
      expect((await fetch(`${baseUrl}/json`)).status).to.equal(500);
      await returned;
    });
});

describe('a server that stops', () => {
  it('ends event streams when it no longer accepts connections, and aborts their signals, but no other stream', async () => {
    const [event, line] = [{ data: { id: 1 } }, { id: 1 }];
    const opened = [waitingIterator(event), waitingIterator(line), waitingIterator()] as const;
    const left = [...opened];
    const signals: AbortSignal[] = [];
    const { server, close, log, reported } = await startStreams(({ signal }) => {
      signals.push(signal);
      return left.shift()?.source;
    });
    const events = await openAt({ server }, '/events', 'data');
    const lines = await openAt({ server }, '/books', '"id"');
    const closed = close();
    const late = await RawConnection.open({ server }, requestOf('/events'));
    await Promise.all([events.whenEnded(), late.whenEnded()]);
    expect(events.rest).to.match(/\r\n0\r\n\r\n$/);
    expect(late.rest).to.match(/^HTTP\/1.1 200 OK\r\n[^]*\r\n\r\n0\r\n\r\n$/);
    await Promise.all([opened[0].returned, opened[2].returned]);
    expect(signals.map(({ aborted }) => aborted)).to.deep.equal([true, false, true]);
    for (const sent of await log.first(2, ({ msg }) => msg === 'request'))
      expect(sent).to.include({ status: 200, operationId: 'watchBooks' }).and.not.have.property('aborted');
    await opened[1].source[Symbol.asyncIterator]().return?.();
    await Promise.all([lines.whenEnded(), closed]);
    expect(lines.rest).to.match(/\r\n0\r\n\r\n$/);
    expect(reported).to.deep.equal([]);
  });
});

describe('a stream that waits for its first item', () => {
  it('counts for MAX_CONCURRENT_REQUESTS for a second', async () => {
    const { source } = waitingIterator();
    let isFirst = true;
    const bodyOf = () => (isFirst ? source : 'text');
    const { server, baseUrl } = await startStreams(bodyOf, { env: { MAX_CONCURRENT_REQUESTS: '1' } });
    const arrived = once(server, 'request');
    await RawConnection.open({ server }, requestOf('/books'));
    await arrived;
    const startedAt = performance.now();
    isFirst = false;
    let response = await fetch(`${baseUrl}/text`);
    expect(response.status).to.equal(503);
    while (response.status === 503) response = await fetch(`${baseUrl}/text`);
    expect(performance.now() - startedAt).to.be.within(900, 5000);
    expect(await response.text()).to.equal('text');
  });
});

/** Requests a path, and waits for a text of the body. */
async function openAt(service: Parameters<typeof RawConnection.open>[0], path: string, text: string) {
  const connection = await RawConnection.open(service, requestOf(path));
  while (!connection.rest.includes(text)) await nextIteration();
  return connection;
}

function nodeStream() {
  const source = new Readable({ read: () => undefined });
  return { source, returned: new Promise((resolve) => source.once('close', resolve)) };
}

function webStream() {
  let stop: () => void = () => undefined;
  const returned = new Promise<void>((resolve) => (stop = resolve));
  return { source: new ReadableStream({ cancel: () => stop() }), returned };
}
