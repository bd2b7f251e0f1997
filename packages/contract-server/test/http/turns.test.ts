import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { expect } from 'chai';
import type { Connection, RequestContext } from '#src/http/request-context.js';
import { Turns } from '#src/http/wire/turns.js';

interface TestConnection extends Connection {
  readonly socket: { destroyed: boolean; isPaused: boolean; pause(): void; resume(): void };
}

function createConnection(): TestConnection {
  const socket = {
    destroyed: false,
    isPaused: false,
    pause: () => (socket.isPaused = true),
    resume: () => (socket.isPaused = false),
  };
  return { pending: new Set(), latest: undefined, isClosing: false, socket };
}

describe('turns', () => {
  let now: number;
  /** How long each request takes, in milliseconds. */
  let requestMs: number;
  let handled: string[];
  let turns: Turns;
  const ended: RequestContext[] = [];
  beforeEach(() => {
    now = 0;
    requestMs = 0;
    handled = [];
    turns = new Turns(
      (context) => {
        handled.push(context.id);
        now += requestMs;
        // A response is sent after the iteration in which its request was handled.
        ended.push(context);
      },
      () => now,
    );
  });
  const receive = (connection: TestConnection, id: string): RequestContext => {
    const response = { headersSent: false };
    const received = { id, connection, startedAt: now, request: { socket: connection.socket }, response };
    const context = received as unknown as RequestContext;
    connection.pending.add(context);
    turns.add(context);
    return context;
  };
  /** Resolves with the ids of the requests that are handled until the end of the iteration. */
  const endIteration = async () => {
    await nextIteration();
    for (const { connection, ...context } of ended.splice(0))
      for (const pending of connection.pending) if (pending.id === context.id) connection.pending.delete(pending);
    return handled.splice(0).join(' ');
  };

  it('handle every request when it arrives while no connections are accepted', () => {
    requestMs = 50;
    for (const id of ['a', 'b', 'c']) receive(createConnection(), id);
    expect(handled).to.deep.equal(['a', 'b', 'c']);
  });

  it('handle requests for 1 ms in each iteration with or directly behind an accepted connection', async () => {
    requestMs = 0.5;
    turns.accept();
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) receive(createConnection(), id);
    expect(await endIteration()).to.equal('a b');
    // Those that wait come first.
    receive(createConnection(), 'h');
    expect(await endIteration()).to.equal('c d');
    expect(await endIteration()).to.equal('e f g h');
    receive(createConnection(), 'i');
    expect(handled).to.deep.equal(['i']);
  });

  it('handle one request of each connection in an iteration, and do not read pipelined ones without limit', async () => {
    const [pipelined, other] = [createConnection(), createConnection()];
    for (const id of ['a1', 'a2', 'a3', 'a4']) receive(pipelined, id);
    for (const id of ['b1', 'b2']) receive(other, id);
    expect([pipelined.socket.isPaused, other.socket.isPaused]).to.deep.equal([true, false]);
    expect(await endIteration()).to.equal('a1 b1');
    receive(createConnection(), 'c1');
    expect(await endIteration()).to.equal('c1 a2 b2');
    expect(await endIteration()).to.equal('a3');
    expect(pipelined.socket.isPaused).to.equal(false);
    expect(await endIteration()).to.equal('a4');
  });

  it('skip requests that were rejected, or whose connection was closed, while they waited', async () => {
    const [rejected, closed] = [createConnection(), createConnection()];
    receive(rejected, 'a1');
    Object.assign(receive(rejected, 'a2').response, { headersSent: true });
    receive(rejected, 'a3');
    receive(closed, 'b1');
    receive(closed, 'b2');
    closed.socket.destroyed = true;
    await endIteration();
    expect(await endIteration()).to.equal('');
    expect(await endIteration()).to.equal('a3');
  });

  it('keep the asynchronous context of each request', async () => {
    const storage = new AsyncLocalStorage<string>();
    const seen: unknown[] = [];
    turns = new Turns(() => seen.push(storage.getStore()));
    const connection = createConnection();
    for (const id of ['a', 'b']) storage.run(id, () => receive(connection, id));
    await endIteration();
    await endIteration();
    expect(seen).to.deep.equal(['a', 'b']);
  });
});
