import type { IncomingMessage, Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import type { Exchange } from './exchange.js';

/** How many requests may wait on one connection for those before them. Of a client that sends more at once, the rest get no answer. */
const waitingMax = 100;
/** How long a connection on which nothing is asked stays open once the service stops, in milliseconds: a request may be on its way. */
const farewellMs = 1000;
/** How long requests in flight may take once the service stops, in milliseconds. */
const drainTimeoutMs = 8000;

/** The requests of one connection that are being answered or wait for it. */
interface Line {
  isBusy: boolean;
  /** Whether nothing more is served after what waits. */
  isFull: boolean;
  readonly waiting: Exchange[];
}

/**
 * The connections of a server. Requests on one of them are served one after the other, one per turn of the event loop: their answers have to leave
 * in that order anyway (RFC 9112, section 9.3.2), and a client that sends a thousand at once waits behind its own requests rather than
 * let everybody else wait behind them.
 */
export class Connections {
  private readonly lines = new WeakMap<Socket, Line>();
  private readonly open = new Set<Socket>();
  private isStopping = false;

  constructor(private readonly serve: (exchange: Exchange) => void) {}

  /** To be called with the server before it listens. */
  watch(server: Server): void {
    server.on('connection', (socket: Socket) => {
      this.open.add(socket);
      socket.once('close', () => this.open.delete(socket));
    });
  }

  /** Serves a request when those before it on its connection have their answers. */
  queue(exchange: Exchange): void {
    const { socket } = exchange.request;
    const line = this.lineOf(socket);
    if (!line.isBusy) {
      line.isBusy = true;
      this.serve(exchange);
    } else if (line.waiting.length < waitingMax) {
      line.waiting.push(exchange);
      // What is not read from the connection waits with the client instead of here.
      socket.pause();
    } else line.isFull = true;
  }

  /** To be called when the answer to a request has left: the next one on its connection gets its turn. */
  advance({ request: { socket } }: Exchange): void {
    const line = this.lineOf(socket);
    const next = line.waiting.shift();
    if (next === undefined) {
      line.isBusy = false;
      return;
    }
    if (line.waiting.length === 0) socket.resume();
    setImmediate(() => {
      if (!socket.destroyed) this.serve(next);
    });
  }

  /** Whether a connection ends with the answer to this request. */
  endWith({ socket }: IncomingMessage): boolean {
    const line = this.lineOf(socket);
    return (this.isStopping || line.isFull) && line.waiting.length === 0;
  }

  /**
   * Takes no more connections, and resolves when those that there are have ended: requests in flight get their answers, which tell
   * the client to leave, as does a request that arrives within a second; then connections on which nothing is asked are ended, and after 8 s all.
   */
  async drain(server: Server): Promise<void> {
    if (!server.listening) return;
    this.isStopping = true;
    const farewell = setTimeout(() => this.endIdle(server), farewellMs);
    const deadline = setTimeout(() => server.closeAllConnections(), drainTimeoutMs);
    // The HTTP server's own `close` would cut idle connections at once, and with them requests that are on their way.
    await new Promise((resolve) => NetServer.prototype.close.call(server, resolve));
    clearTimeout(farewell);
    clearTimeout(deadline);
    server.close();
  }

  private endIdle(server: Server): void {
    server.closeIdleConnections();
    // Node takes a connection on which nothing was ever received for one that is busy.
    for (const socket of this.open) if (socket.bytesRead === 0) socket.destroy();
  }

  private lineOf(socket: Socket): Line {
    const present = this.lines.get(socket);
    if (present !== undefined) return present;
    const added: Line = { isBusy: false, isFull: false, waiting: [] };
    this.lines.set(socket, added);
    return added;
  }
}
