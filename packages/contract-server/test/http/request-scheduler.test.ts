import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { expect } from 'chai';
import { Connection, type RequestContext } from '#src/http/request-context.js';
import { RequestScheduler } from '#src/http/wire/request-scheduler.js';

interface TestConnection extends Connection {
  readonly socket: { writable: boolean };
}

function createConnection(): TestConnection {
  return Object.assign(new Connection(), { socket: { writable: true } });
}

describe('the scheduler of requests', () => {
  let now: number;
  /** How long each request takes, in milliseconds. */
  let requestMs: number;
  let handled: string[];
  let scheduler: RequestScheduler;
  beforeEach(() => {
    now = 0;
    requestMs = 0.125;
    handled = [];
    scheduler = new RequestScheduler(
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
    scheduler.add(context);
    return context;
  };
  /** Resolves with the ids of the requests that were handled since the last call, at the end of the iteration. */
  const endIteration = async () => {
    await nextIteration();
    return handled.splice(0).join(' ');
  };

  it('handles every request when it arrives while no connections are accepted', () => {
    requestMs = 50;
    const connection = createConnection();
    for (const id of ['a1', 'a2']) receive(connection, id);
    receive(createConnection(), 'b1');
    expect(handled).to.deep.equal(['a1', 'a2', 'b1']);
  });

  it('handles requests for 0.25 ms in the iteration that accepts a connection and in the next one', async () => {
    scheduler.accept();
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) receive(createConnection(), id);
    expect(await endIteration()).to.equal('a b');
    // Requests that waited are handled before new ones.
    receive(createConnection(), 'h');
    expect(await endIteration()).to.equal('c d');
    expect(await endIteration()).to.equal('e f g h');
    receive(createConnection(), 'i');
    expect(handled).to.deep.equal(['i']);
  });

  it('is not limited by a connection that an earlier iteration has accepted', async () => {
    requestMs = 50;
    scheduler.accept();
    await endIteration();
    await endIteration();
    for (const id of ['a', 'b']) receive(createConnection(), id);
    expect(handled).to.deep.equal(['a', 'b']);
  });

  it('lets the connections take turns', async () => {
    requestMs = 1;
    scheduler.accept();
    const connection = createConnection();
    for (const id of ['a1', 'a2', 'a3']) receive(connection, id);
    receive(createConnection(), 'b1');
    expect(await endIteration()).to.equal('a1');
    scheduler.accept();
    expect(await endIteration()).to.equal('a2');
    expect(await endIteration()).to.equal('b1');
    expect(await endIteration()).to.equal('a3');
  });

  it('handles one waiting request of each connection in an iteration that accepts none', async () => {
    requestMs = 1;
    scheduler.accept();
    const [first, second] = [createConnection(), createConnection()];
    for (const id of ['a1', 'a2', 'a3', 'a4']) receive(first, id);
    for (const id of ['b1', 'b2']) receive(second, id);
    expect(await endIteration()).to.equal('a1');
    expect(await endIteration()).to.equal('a2');
    expect(await endIteration()).to.equal('b1 a3');
    expect(await endIteration()).to.equal('b2 a4');
  });

  it('has at most 64 turns in an iteration that accepts connections', async () => {
    requestMs = 1;
    scheduler.accept();
    for (let index = 0; index < 71; index += 1) receive(createConnection(), String(index));
    expect(await endIteration()).to.equal('0');
    requestMs = 0;
    expect((await endIteration()).split(' ')).to.have.lengthOf(64);
    expect(await endIteration()).to.equal('65 66 67 68 69 70');
  });

  it('handles the oldest request of a connection immediately when more than 64 wait', async () => {
    requestMs = 1;
    scheduler.accept();
    const connection = createConnection();
    const ids = Array.from({ length: 67 }, (_, index) => String(index));
    for (const id of ids.slice(0, 65)) receive(connection, id);
    expect(handled).to.deep.equal(['0']);
    for (const id of ids.slice(65)) receive(connection, id);
    expect(handled).to.deep.equal(['0', '1', '2']);
    while (handled.length < ids.length) await nextIteration();
    expect(handled).to.deep.equal(ids);
  });

  it('skips requests that were rejected, or whose connection was closed, while they waited', async () => {
    requestMs = 1;
    scheduler.accept();
    const [responded, rejected, closed] = [createConnection(), createConnection(), createConnection()];
    receive(createConnection(), 'a');
    Object.assign(receive(responded, 'b').response, { headersSent: true });
    receive(rejected, 'c').errorCode = 'malformed_http';
    for (const id of ['d1', 'd2']) receive(closed, id);
    closed.socket.writable = false;
    receive(createConnection(), 'e');
    expect(await endIteration()).to.equal('a');
    expect(await endIteration()).to.equal('e');
    // Requests of a closed connection are released when it has its first turn.
    closed.socket.writable = true;
    expect(await endIteration()).to.equal('');
  });

  it('keeps the asynchronous context of each request', async () => {
    const storage = new AsyncLocalStorage<string>();
    const seen: unknown[] = [];
    scheduler = new RequestScheduler(
      () => {
        seen.push(storage.getStore());
        now += 1;
      },
      () => now,
    );
    scheduler.accept();
    for (const id of ['a', 'b']) storage.run(id, () => receive(createConnection(), id));
    await endIteration();
    await endIteration();
    expect(seen).to.deep.equal(['a', 'b']);
  });
});
