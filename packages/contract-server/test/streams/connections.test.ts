import { once } from 'node:events';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import { setImmediate as nextIteration } from 'node:timers/promises';
import type { ContractTypes, RequestMetadata } from '@contract-server/core/types/types.js';
import { RawConnection } from '@contract-server/test-support/clients/raw-connection.js';
import { closeLater } from '@contract-server/test-support/closing.js';
import { place } from '@contract-server/test-support/contract/contract-errors.js';
import { withoutPrefix } from '@contract-server/test-support/contract/ping-contracts.js';
import { startStreams, waitingIterator } from '@contract-server/test-support/servers/streams.js';
import { expect } from 'chai';
import { createRouter } from '#src/index.js';

const requestOf = (path: string, method = 'GET') => `${method} /v1${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
const get = requestOf('/text');

/** Waits until `condition` holds, while the event loop runs. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await nextIteration();
}

describe('the client of a stream', () => {
  it('receives each chunk at once, and can use the connection again', async () => {
    const source = new Readable({ read: () => undefined });
    const { server } = await startStreams(() => source);
    const connection = await RawConnection.open({ server }, get);
    for (const chunk of ['one', 'two']) {
      source.push(chunk);
      await until(() => connection.rest.includes(chunk));
    }
    source.push(null);
    await until(() => connection.rest.endsWith('0\r\n\r\n'));
    connection.send(requestOf('/none'));
    await until(() => connection.rest.includes('404 Not Found'));
  });

  const sources: readonly (readonly [name: string, create: () => { source: unknown; returned: Promise<unknown> }])[] = [
    ['the iterator is returned while it waits', () => waitingIterator('a')],
    ['the Node stream is destroyed', waitingStream],
    ['the Node stream of values is destroyed', () => waitingStream({ objectMode: true })],
    ['the web stream is cancelled', waitingWebStream],
  ];
  for (const how of ['end', 'reset'] as const)
    for (const [name, create] of sources)
      it(`can disconnect (${how}): ${name}, the signal is aborted, and nothing is reported`, async () => {
        const { source, returned } = create();
        let context: RequestMetadata | undefined;
        const { server, reported, log } = await startStreams((given) => {
          context = given;
          return source;
        });
        const connection = await RawConnection.open({ server }, get);
        await until(() => connection.rest.endsWith('a\r\n'));
        connection[how]();
        await returned;
        expect(context?.signal.aborted).to.equal(true);
        const [line] = await log.first(1, ({ msg }) => msg === 'request');
        expect(line).to.include({ status: 200, aborted: true });
        expect(reported).to.deep.equal([]);
      });

  it('can disconnect before the first chunk', async () => {
    const { source, returned } = waitingIterator();
    const { server, reported, nextRequest } = await startStreams(() => source);
    const arrived = nextRequest();
    const connection = await RawConnection.open({ server }, get);
    await arrived;
    connection.end();
    await returned;
    expect(reported).to.deep.equal([]);
  });

  it('receives the head of a HEAD request, for which nothing is read', async () => {
    const { source, returned } = waitingIterator('a');
    const { server } = await startStreams(() => source);
    const connection = await RawConnection.open({ server }, requestOf('/text', 'HEAD'));
    const { status, headers } = await connection.readResponse(true);
    expect(status).to.equal(200);
    expect(headers).to.include({ 'content-type': 'text/csv; charset=utf-8' });
    await returned;
    connection.send(requestOf('/none'));
    expect(await connection.readResponse()).to.include({ status: 404 });
  });

  it('notices an error after the first byte, which is logged with the request id', async () => {
    const error = new Error('lost');
    async function* failing() {
      yield await Promise.resolve('a');
      throw error;
    }
    const { server, reported } = await startStreams(failing);
    const connection = await RawConnection.open({ server }, get);
    await connection.whenEnded();
    expect(connection.rest).to.match(/\r\n1\r\na\r\n$/);
    expect(reported).to.deep.equal([error]);
  });

  it('notices that a stream is destroyed before its end', async () => {
    const source = new Readable({ read: () => undefined });
    source.push('a');
    const { server, reported } = await startStreams(() => source);
    const connection = await RawConnection.open({ server }, get);
    await until(() => connection.rest.endsWith('a\r\n'));
    source.destroy();
    await connection.whenEnded();
    expect(String(reported[0])).to.equal('Error: The stream of a response was destroyed before its end.');
  });

  it('receives the head of an event stream without an event after a second', async () => {
    const { baseUrl } = await startStreams(() => waitingIterator().source);
    const aborter = new AbortController();
    closeLater(() => aborter.abort());
    const response = await fetch(`${baseUrl}/events`, { signal: aborter.signal });
    expect(response.headers.get('content-type')).to.equal('text/event-stream; charset=utf-8');
  });

  it('sends Last-Event-ID in UTF-8 to the handler', async () => {
    const { server } = await startStreams(({ lastEventId }) => `${String(lastEventId)}.`);
    const connection = await RawConnection.open({ server }, get.replace('\r\n\r\n', '\r\nLast-Event-ID: ü\r\n\r\n'));
    expect((await connection.readResponse()).text).to.equal('ü.');
    connection.send(get);
    expect((await connection.readResponse()).text).to.equal('undefined.');
  });
});

describe('a client that never reads', () => {
  /** Reads the head only. */
  async function openDeaf(port: number, path: string) {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    closeLater(() => socket.destroy());
    await once(socket, 'connect');
    socket.pause().write(requestOf(path));
    return socket;
  }

  it('stops the source, while other clients are served', async () => {
    let bytes = 0;
    async function* endless() {
      for (;;) {
        const chunk = Buffer.alloc(65_536);
        bytes += chunk.length;
        yield await Promise.resolve(chunk);
      }
    }
    let isDeaf = true;
    const { server, baseUrl, nextRequest } = await startStreams(() => (isDeaf ? endless() : 'text'));
    const request = nextRequest();
    await openDeaf(Number(new URL(baseUrl).port), '/text');
    const [, response] = await request;
    await until(() => response.writableNeedDrain);
    isDeaf = false;
    const before = bytes;
    for (let count = 0; count < 20; count += 1) expect(await (await fetch(`${baseUrl}/text`)).text()).to.equal('text');
    // One chunk is read ahead.
    expect(bytes).to.be.at.most(before + 65_536);
    expect(response.writableLength).to.be.below(1024 * 1024);
    expect(server.listening).to.equal(true);
  });

  it('is disconnected by the timeout of the server, unlike one whose stream waits for its source', async () => {
    const { source, returned } = waitingIterator('a');
    async function* endless() {
      for (;;) yield await Promise.resolve(Buffer.alloc(65_536));
    }
    let body: unknown = source;
    const { server, baseUrl, nextRequest } = await startStreams(() => body);
    server.setTimeout(100);
    const waiting = await RawConnection.open({ server }, get);
    await until(() => waiting.rest.endsWith('a\r\n'));
    body = endless();
    const request = nextRequest();
    await openDeaf(Number(new URL(baseUrl).port), '/text');
    const [{ socket }] = await request;
    await once(socket, 'close');
    void source[Symbol.asyncIterator]().return?.();
    await returned;
    await until(() => waiting.rest.endsWith('0\r\n\r\n'));
  });
});

describe('the stream of a router among the routes of a service', () => {
  it('is not cut by the timeout of the server while it waits for its source', async () => {
    const { source } = waitingIterator({});
    const lines = withoutPrefix.replace(
      'application/json: { schema: { type: object }',
      'application/x-ndjson: { schema: {}',
    );
    const { url } = place({ 'contract.yaml': lines });
    const handlers = { ping: () => Promise.resolve({ status: 200, body: source }) } as object;
    const routes = [await createRouter<ContractTypes>()({ contract: url, handlers })];
    const { server } = await startStreams(() => 'text', { routes });
    server.setTimeout(100);
    const connection = await RawConnection.open({ server }, 'GET /ping HTTP/1.1\r\nHost: a\r\n\r\n');
    await connection.whenReceived('{}');
    await once(server, 'timeout');
    void source[Symbol.asyncIterator]().return?.();
    await connection.whenReceived('\r\n0\r\n\r\n');
  });
});

describe('a server that shuts down', () => {
  it('completes a stream, and ends one that is open at the deadline', async () => {
    const { source, returned } = waitingIterator('a');
    const { server, close, log } = await startStreams(() => source, { env: { DRAIN_TIMEOUT_SECONDS: '1' } });
    const connection = await RawConnection.open({ server }, get);
    await until(() => connection.rest.endsWith('a\r\n'));
    await close();
    await returned;
    await connection.whenEnded();
    expect(await log.first(1, ({ msg }) => msg === 'request')).to.have.lengthOf(1);
  });
});

function waitingStream(options: { readonly objectMode?: boolean } = {}) {
  const source = new Readable({ ...options, read: () => undefined });
  source.push('a');
  return { source, returned: new Promise((resolve) => source.once('close', resolve)) };
}

function waitingWebStream() {
  let stop: () => void = () => undefined;
  const returned = new Promise<void>((resolve) => (stop = resolve));
  const source = new ReadableStream({ start: (controller) => controller.enqueue('a'), cancel: () => stop() });
  return { source, returned };
}
