import type { IncomingMessage, Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setImmediate as nextIteration } from 'node:timers/promises';
import type { RequestContext } from '../request-context.js';
import { emptyAcceptQueue } from './accept-queue.js';
import type { Connection, FairScheduler } from './fair-scheduler.js';
import { interceptAccept } from './intercept-accept.js';
import { lingeringClose } from './lingering-close.js';

/**
 * How many requests may wait on one connection for those before them. Of a client that sends more at once, the rest get
 * no answer.
 */
const waitingMax = 100;
/** How long an idle connection stays open once the listener is closed, in milliseconds: a request may be on its way. */
const idleTimeoutMs = 1000;
/** How long requests in flight may take once the service stops, in milliseconds. */
const drainTimeoutMs = 6500;

/** The requests of one connection that are being answered or wait for it. */
interface ConnectionState {
  readonly connection: Connection;
  readonly serve: (context: RequestContext) => void;
  /** Whether the last request has come that is served. */
  isOver: boolean;
  readonly waiting: RequestContext[];
}

/**
 * The connections of a server. Requests on one of them are served one after the other, one per turn of the event loop:
 * their answers have to leave in that order anyway (RFC 9112, section 9.3.2), and a client that sends a thousand at
 * once waits behind its own requests rather than let everybody else wait behind them.
 */
export class Connections {
  private readonly states = new WeakMap<Socket, ConnectionState>();
  private readonly open = new Set<Socket>();
  private isStopping = false;

  constructor(private readonly scheduler: FairScheduler) {}

  /** How many are open. */
  get count(): number {
    return this.open.size;
  }

  /**
   * To be called with the server before it listens.
   *
   * @param serve is called for each request when it is its turn.
   */
  attach(server: Server, serve: (context: RequestContext) => void): void {
    interceptAccept(server, (address, accepted) => this.scheduler.accept(address, accepted));
    server.on('connection', (socket: Socket) => {
      this.open.add(socket);
      const connection = this.scheduler.join(socket, () => this.serveNext(line));
      const line: ConnectionState = { connection, serve, isOver: false, waiting: [] };
      this.states.set(socket, line);
      socket.once('close', () => {
        this.open.delete(socket);
        this.scheduler.leave(connection);
        for (const context of line.waiting.splice(0)) emitClose(context);
      });
      // What Node calls when the last answer of a connection has left.
      socket.destroySoon = () => lingeringClose(socket);
    });
  }

  /**
   * Whether a request that comes in is served: none is after the last one of its connection (RFC 9112, section 9.6).
   */
  accepts({ socket }: IncomingMessage): boolean {
    return socket.writable && !this.stateOf(socket).isOver;
  }

  /** Makes a request the last one of its connection. */
  closeAfter({ request, response }: RequestContext): void {
    this.stateOf(request.socket).isOver = true;
    response.shouldKeepAlive = false;
  }

  /** Serves a request when those before it on its connection have their answers. */
  queue(context: RequestContext): void {
    const { socket } = context.request;
    const line = this.stateOf(socket);
    const { connection } = line;
    this.scheduler.noteRequest(connection, context.startedAt);
    if (connection.isBeyondLimit) this.closeAfter(context);
    if (!connection.isBusy) {
      connection.isBusy = true;
      line.serve(context);
      return;
    }
    // What is not read from the connection waits with the client instead of here.
    socket.pause();
    if (line.waiting.push(context) === waitingMax) this.closeAfter(context);
  }

  /** Whether those before a request on its connection have not had their answers. */
  isWaiting(context: RequestContext): boolean {
    return this.stateOf(context.request.socket).waiting.includes(context);
  }

  /** To be called when the answer to a request has left: the next one on its connection gets its turn. */
  advance({ request: { socket } }: RequestContext): void {
    const { waiting, connection } = this.stateOf(socket);
    if (waiting.length > 0) {
      this.scheduler.queue(connection);
      return;
    }
    connection.isBusy = false;
    this.scheduler.noteResponse(connection);
  }

  private serveNext({ waiting, serve, connection: { socket } }: ConnectionState): boolean {
    const next = waiting.shift();
    if (next === undefined) return false;
    if (waiting.length === 0) socket.resume();
    // After an answer that ended the connection nothing is done any more of which the client would not be told.
    if (socket.writable) serve(next);
    else emitClose(next);
    return true;
  }

  /** Whether a connection ends with the answer to this request. */
  closesAfter({ socket }: IncomingMessage): boolean {
    return this.isStopping && this.stateOf(socket).waiting.length === 0;
  }

  /**
   * Accepts the connections that clients have made already, then no more, and resolves when all have ended. Each
   * response has `Connection: close`. A second after the listener is closed, idle connections are ended, and 6.5 s
   * after the call all others.
   */
  async drain(server: Server): Promise<void> {
    if (!server.listening) return;
    this.isStopping = true;
    this.scheduler.stop();
    const deadline = setTimeout(() => this.closeAll(), drainTimeoutMs);
    await emptyAcceptQueue(server);
    const farewell = setTimeout(() => void this.closeIdle(server), idleTimeoutMs);
    // The HTTP server's own `close` would cut idle connections at once, and with them requests that are on their way.
    await new Promise((resolve) => NetServer.prototype.close.call(server, resolve));
    clearTimeout(farewell);
    clearTimeout(deadline);
    server.close();
  }

  private async closeIdle(server: Server): Promise<void> {
    // Timers run before sockets are read: a connection is idle if it still is once what has arrived is read.
    await nextIteration();
    server.closeIdleConnections();
    // Node takes a connection on which nothing was ever received for one that is busy.
    for (const socket of this.open) if (socket.bytesRead === 0) socket.destroy();
  }

  /** Node's `closeAllConnections` does not know those whose parser it gave away, as after CONNECT. */
  private closeAll(): void {
    for (const socket of this.open) socket.destroy();
  }

  private stateOf(socket: Socket): ConnectionState {
    const line = this.states.get(socket);
    if (line === undefined) throw new TypeError('The socket is none of the connections.');
    return line;
  }
}

/** An exchange ends that nobody is going to answer. Node tells so only of the one whose turn it is. */
function emitClose({ response }: RequestContext): void {
  response.emit('close');
}
