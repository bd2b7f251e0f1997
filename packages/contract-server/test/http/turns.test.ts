import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { expect } from 'chai';
import { Connection, type RequestContext } from '#src/http/request-context.js';
import { Turns } from '#src/http/wire/turns.js';

interface TestConnection extends Connection {
  readonly socket: { writable: boolean };
}

function createConnection(): TestConnection {
  return Object.assign(new Connection(), { socket: { writable: true } });
}

describe('turns', () => {
  let now: number;
  /** How long each request takes, in milliseconds. */
  let requestMs: number;
  let handled: string[];
  let turns: Turns;
  beforeEach(() => {
    now = 0;
    requestMs = 0.5;
    handled = [];
    turns = new Turns(
      ({ id }) => {
        handled.push(id);
        now += requestMs;
      },
      () => now,
    );
  });
  const receive = (connection: TestConnection, id: string): RequestContext => {
    const response = { headersSent: false };
    const received = { id, connection, startedAt: now, request: { socket: connection.socket }, response };
    const context = received as unknown as RequestContext;
    turns.add(context);
    return context;
  };
  /** Resolves with the ids of the requests that were handled since the last call, at the end of the iteration. */
  const endIteration = async () => {
    await nextIteration();
    return handled.splice(0).join(' ');
  };

  it('handle every request when it arrives while no connections are accepted', () => {
    requestMs = 50;
    const connection = createConnection();
    for (const id of ['a1', 'a2']) receive(connection, id);
    receive(createConnection(), 'b1');
    expect(handled).to.deep.equal(['a1', 'a2', 'b1']);
  });

  it('handle requests for 1 ms in the iteration that accepts a connection and in the next one', async () => {
    turns.accept();
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) receive(createConnection(), id);
    expect(await endIteration()).to.equal('a b');
    // Requests that waited are handled before new ones.
    receive(createConnection(), 'h');
    expect(await endIteration()).to.equal('c d');
    expect(await endIteration()).to.equal('e f g h');
    receive(createConnection(), 'i');
    expect(handled).to.deep.equal(['i']);
  });

  it('handle one request of each connection in an iteration, in their order', async () => {
    requestMs = 1;
    turns.accept();
    const connection = createConnection();
    for (const id of ['a1', 'a2', 'a3']) receive(connection, id);
    receive(createConnection(), 'b1');
    expect(await endIteration()).to.equal('a1');
    turns.accept();
    expect(await endIteration()).to.equal('a2');
    expect(await endIteration()).to.equal('b1');
    expect(await endIteration()).to.equal('a3');
  });

  it('handle the requests of a connection at once when 64 of them wait', () => {
    requestMs = 1;
    turns.accept();
    const connection = createConnection();
    const ids = Array.from({ length: 65 }, (_, index) => String(index));
    for (const id of ids.slice(0, 64)) receive(connection, id);
    expect(handled).to.deep.equal(['0']);
    receive(connection, '64');
    expect(handled).to.deep.equal(ids);
  });

  it('skip requests that were rejected, or whose connection was closed, while they waited', async () => {
    requestMs = 1;
    turns.accept();
    const [answered, rejected, closed] = [createConnection(), createConnection(), createConnection()];
    receive(createConnection(), 'a');
    Object.assign(receive(answered, 'b').response, { headersSent: true });
    receive(rejected, 'c').errorCode = 'malformed_http';
    receive(closed, 'd');
    closed.socket.writable = false;
    receive(createConnection(), 'e');
    expect(await endIteration()).to.equal('a');
    expect(await endIteration()).to.equal('e');
  });

  it('keep the asynchronous context of each request', async () => {
    const storage = new AsyncLocalStorage<string>();
    const seen: unknown[] = [];
    turns = new Turns(
      () => {
        seen.push(storage.getStore());
        now += 1;
      },
      () => now,
    );
    turns.accept();
    for (const id of ['a', 'b']) storage.run(id, () => receive(createConnection(), id));
    await endIteration();
    await endIteration();
    expect(seen).to.deep.equal(['a', 'b']);
  });
});
