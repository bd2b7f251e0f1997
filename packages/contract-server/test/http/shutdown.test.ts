import { once } from 'node:events';
import { type Server, request as sendRequest } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { RawConnection } from '@contract-server/test-support/clients/raw-connection.js';
import { startStreams } from '@contract-server/test-support/servers/streams.js';
import { expect } from 'chai';
import { type RequestHandler, Router } from 'express';

const requestOf = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
const json = requestOf('/v1/json');
const text = requestOf('/v1/text');

/** Sends bytes. Resolves with the status and `Connection` of the response. */
async function resultOf(connection: RawConnection, bytes: string): Promise<string> {
  connection.send(bytes);
  const { status, headers } = await connection.readResponse();
  return `${String(status)} ${headers['connection'] ?? ''}`;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await nextIteration();
}

const untilRefused = (server: Server) => until(() => !server.listening);

/** A server with a stream at `/v1/text`, and a route that responds when `respond` is called. */
async function start() {
  const source = new Readable({ read: () => undefined });
  const waiting: (() => void)[] = [];
  const wait: RequestHandler = (_request, response) => void waiting.push(() => response.send('done'));
  const routes = [Router().get('/route', wait)];
  const service = await startStreams(({ operationId }) => (operationId === 'getText' ? source : {}), { routes });
  const open = (bytes = '') => RawConnection.open(service, bytes);
  const openStream = async () => {
    const connection = await open(text);
    source.push('a');
    await until(() => connection.rest.endsWith('a\r\n'));
    return connection;
  };
  const endStream = async (connection: RawConnection) => {
    source.push(null);
    await until(() => connection.rest.endsWith('0\r\n\r\n'));
    connection.clear();
  };
  const respond = () => {
    for (const send of waiting.splice(0)) send();
  };
  return { ...service, open, openStream, endStream, waiting, respond };
}

describe('a graceful shutdown', () => {
  it('serves requests on every connection for a second, and closes each after its last response', async () => {
    const [kept, last] = ['200 keep-alive', '200 close'];
    const { server, open, close } = await start();
    const [used, pipelined, partial, partialAgain] = [await open(), await open(), await open(), await open()];
    for (const connection of [used, pipelined, partialAgain]) expect(await resultOf(connection, json)).to.equal(kept);
    for (const connection of [partial, partialAgain]) connection.send(json.slice(0, 20));
    const closed = close();
    for (const connection of [used, await open()]) expect(await resultOf(connection, json)).to.equal(last);
    expect(await resultOf(pipelined, json.repeat(3))).to.equal(kept);
    for (const result of [kept, last]) expect(await resultOf(pipelined, '')).to.equal(result);
    expect(server.listening).to.equal(true);
    await untilRefused(server);
    for (const connection of [partial, partialAgain]) expect(await resultOf(connection, json.slice(20))).to.equal(last);
    await closed;
  });

  it('serves the next request on a connection whose response was ready, but not sent, before it', async () => {
    const { server, open, close } = await start();
    const connection = await open();
    expect(await resultOf(connection, json)).to.equal('200 keep-alive');
    let closed: Promise<void> | undefined;
    // Before the iteration of the event loop ends, in which the responses are sent together.
    server.prependOnceListener('request', () => {
      setImmediate(() => {
        closed = close();
      });
    });
    expect(await resultOf(connection, json)).to.equal('200 keep-alive');
    expect(closed).to.be.instanceOf(Promise);
    expect(await resultOf(connection, json)).to.equal('200 close');
    await connection.whenEnded();
    await closed;
  });

  it('serves the next request on a connection whose stream ends later than the listener', async () => {
    const { server, close, openStream, endStream } = await start();
    const connection = await openStream();
    const closed = close();
    await untilRefused(server);
    await endStream(connection);
    expect(await resultOf(connection, json)).to.equal('200 close');
    await closed;
  });

  it('closes a connection whose last response had begun before it after a second without a request', async () => {
    const { server, close, openStream, endStream } = await start();
    const connection = await openStream();
    const closed = close();
    await untilRefused(server);
    const startedAt = performance.now();
    await endStream(connection);
    await connection.whenEnded();
    expect(performance.now() - startedAt).to.be.within(1000, 5000);
    await closed;
  });

  it('keeps connections that became idle, or were accepted, less than that time before the listener closes', async () => {
    const { server, connections, close, open, openStream, endStream } = await start();
    connections.idleMs = 60_000;
    const streamed = await openStream();
    const closed = close();
    await endStream(streamed);
    const accepted = once(server, 'connection');
    const opened = await open();
    await accepted;
    await untilRefused(server);
    await nextIteration();
    for (const connection of [streamed, opened]) expect(await resultOf(connection, json)).to.equal('200 close');
    await closed;
  });

  it('completes a response that its client reads slowly', async () => {
    const body = Buffer.alloc(50_000_000);
    const { server, baseUrl, connections, close, nextRequest } = await startStreams(() => body);
    // The idle connections are closed again and again.
    connections.idleMs = 1;
    const arrived = nextRequest();
    const received = once(sendRequest(`${baseUrl}/text`).end(), 'response') as Promise<[AsyncIterable<Buffer>]>;
    const [, response] = await arrived;
    await until(() => response.writableEnded);
    const closed = close();
    await untilRefused(server);
    expect(response.writableFinished).to.equal(false);
    let bytes = 0;
    for await (const chunk of (await received)[0]) bytes += chunk.length;
    expect(bytes).to.equal(body.length);
    await closed;
  });

  it('closes the connections of routes after their last responses', async () => {
    const { server, close, open, waiting, respond } = await start();
    const before = await open(requestOf('/route'));
    await until(() => waiting.length === 1);
    const closed = close();
    const pipelined = await open(requestOf('/route').repeat(2));
    await until(() => waiting.length === 3);
    await untilRefused(server);
    respond();
    expect(await resultOf(before, '')).to.equal('200 close');
    for (const result of ['200 keep-alive', '200 close']) expect(await resultOf(pipelined, '')).to.equal(result);
    for (const connection of [before, pipelined]) await connection.whenEnded();
    await closed;
  });

  it('reads what a client that pipelines requests sends after the last one, so that the connection is not reset', async () => {
    const { server, open, close } = await start();
    const accepted = once(server, 'connection') as Promise<[Socket]>;
    const connection = await open();
    const [socket] = await accepted;
    expect(await resultOf(connection, json.repeat(2))).to.equal('200 keep-alive');
    expect(await resultOf(connection, '')).to.equal('200 keep-alive');
    const closed = close();
    expect(await resultOf(connection, json)).to.equal('200 close');
    const ended = once(socket, 'close');
    connection.send(json.repeat(10));
    connection.endSending();
    await ended;
    expect(socket.bytesRead).to.equal(13 * json.length);
    await connection.whenEnded();
    expect(connection.rest).to.equal('');
    await closed;
  });

  it('closes every connection at the deadline', async () => {
    const { server, connections, open, openStream, waiting } = await start();
    const unfinished = [await openStream(), await open(requestOf('/route')), await open(json.slice(0, -2))];
    await until(() => waiting.length === 1);
    await connections.close(server, 10);
    for (const connection of unfinished) await connection.whenEnded();
  });
});
