import type { IncomingMessage, Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate as nextIteration } from 'node:timers/promises';
import type { RequestContext } from '../request-context.js';
import { emptyAcceptQueue } from './accept-queue.js';
import type { ScheduledConnection } from './connection-table.js';
import type { FairScheduler } from './fair-scheduler.js';
import { interceptAccept } from './intercept-accept.js';
import { lingeringClose } from './lingering-close.js';

/** Maximum number of pipelined requests that wait on a connection. Further requests receive no response. */
const queuedMax = 100;
/**
 * How long an idle connection stays open after the listener was closed, in milliseconds: a request may be on its way.
 */
const idleTimeoutMs = 1000;
/** How long requests in progress may take during a shutdown, in milliseconds. */
const drainTimeoutMs = 6500;

/** The requests that were received on one connection. */
interface Pipeline {
  readonly connection: ScheduledConnection;
  readonly serve: (context: RequestContext) => void;
  /** Whether a request that was received is the last one to be served. */
  isClosing: boolean;
  isPauseScheduled: boolean;
  /** The request that was received last. */
  latest: RequestContext | undefined;
  /** Requests that wait for the response to the one before them. */
  readonly queued: RequestContext[];
  /** Called when every request has its response. */
  onIdle: (() => void) | undefined;
}

/**
 * The connections of a server. Pipelined requests are served one after the other, one in each event-loop tick: their
 * responses must be sent in that order anyway (RFC 9112, section 9.3.2), and a client that sends a thousand requests at
 * once must not delay the requests of other clients.
 */
export class Connections {
  private readonly pipelines = new WeakMap<Duplex, Pipeline>();
  private readonly open = new Set<Socket>();
  private isStopping = false;

  constructor(private readonly scheduler: FairScheduler) {}

  /** The number of open connections. */
  get count(): number {
    return this.open.size;
  }

  /**
   * Must be called before the server listens.
   *
   * @param serve is called for each request when it is its turn.
   */
  attach(server: Server, serve: (context: RequestContext) => void): void {
    interceptAccept(server, (address, accepted) => this.scheduler.accept(address, accepted));
    server.on('connection', (socket: Socket) => {
      this.open.add(socket);
      const connection = this.scheduler.add(socket, () => this.serveNext(pipeline));
      const pipeline: Pipeline = {
        connection,
        serve,
        isClosing: false,
        isPauseScheduled: false,
        latest: undefined,
        queued: [],
        onIdle: undefined,
      };
      this.pipelines.set(socket, pipeline);
      socket.once('close', () => {
        this.open.delete(socket);
        this.scheduler.remove(connection);
        for (const context of pipeline.queued.splice(0)) emitClose(context);
      });
      // Undocumented in Node: it calls `destroySoon` after the last response of a connection. The public event `finish`
      // is emitted too late to prevent it. Test: connections.test.ts ("keeps sending").
      socket.destroySoon = () => lingeringClose(socket);
    });
  }

  /** Whether a request is served: none is after the last one of its connection (RFC 9112, section 9.6). */
  accepts({ socket }: IncomingMessage): boolean {
    const pipeline = this.requirePipeline(socket);
    if (socket.writable && !pipeline.isClosing) return true;
    if (!pipeline.isPauseScheduled) setImmediate(pauseReading, pipeline);
    pipeline.isPauseScheduled = true;
    return false;
  }

  /** Closes the connection after the response to a request. Later requests are not served. */
  closeAfter({ request, response }: RequestContext): void {
    this.requirePipeline(request.socket).isClosing = true;
    response.shouldKeepAlive = false;
  }

  /** Serves a request when those before it on its connection have their responses. */
  enqueue(context: RequestContext): void {
    const { socket } = context.request;
    const pipeline = this.requirePipeline(socket);
    const { connection } = pipeline;
    pipeline.latest = context;
    this.scheduler.onRequest(connection, context.startedAt);
    if (connection.isBeyondLimit) this.closeAfter(context);
    if (!connection.isBusy) {
      connection.isBusy = true;
      pipeline.serve(context);
      return;
    }
    // Data that is not read stays in the memory of the client.
    socket.pause();
    if (pipeline.queued.push(context) === queuedMax) this.closeAfter(context);
  }

  /** Whether a request waits for the response to one before it on its connection. */
  isQueued(context: RequestContext): boolean {
    return this.requirePipeline(context.request.socket).queued.includes(context);
  }

  /** The request of which a connection has received a part only; `undefined` if there is none. */
  incompleteRequest(socket: Duplex): RequestContext | undefined {
    const latest = this.pipelines.get(socket)?.latest;
    return latest?.request.complete === false ? latest : undefined;
  }

  /** Resolves when every request that was received on a connection has its response. */
  whenIdle(socket: Duplex): Promise<void> {
    const pipeline = this.pipelines.get(socket);
    if (pipeline === undefined || !pipeline.connection.isBusy || socket.destroyed) return Promise.resolve();
    return new Promise((resolve) => (pipeline.onIdle = resolve));
  }

  /** Must be called when the response to a request has been sent, or its client has disconnected. */
  advance({ request: { socket } }: RequestContext): void {
    const pipeline = this.requirePipeline(socket);
    const { queued, connection } = pipeline;
    if (queued.length > 0) {
      this.scheduler.enqueue(connection);
      return;
    }
    connection.isBusy = false;
    this.scheduler.onIdle(connection);
    pipeline.onIdle?.();
  }

  private serveNext({ queued, serve, connection: { socket } }: Pipeline): boolean {
    const next = queued.shift();
    if (next === undefined) return false;
    if (queued.length === 0) socket.resume();
    // After a response that closed the connection, no request may have effects: its client receives no response.
    if (socket.writable) serve(next);
    else emitClose(next);
    return true;
  }

  /** Whether a connection must be closed with the response to this request. */
  mustClose({ socket }: IncomingMessage): boolean {
    return this.isStopping && this.requirePipeline(socket).queued.length === 0;
  }

  /**
   * Accepts the connections that clients have already made, then closes the listener, and resolves when every
   * connection is closed. Each response has `Connection: close`. Idle connections are closed one second after the
   * listener, and all others 6.5 s after the call.
   *
   * Undocumented in Node: an HTTP server can be closed as a `net.Server`. Its own `close` closes idle connections
   * immediately (Node 19 and later), with the requests that are on their way. Test: connections.test.ts ("drain").
   */
  async drain(server: Server): Promise<void> {
    if (!server.listening) return;
    this.isStopping = true;
    this.scheduler.stop();
    const drainTimer = setTimeout(() => this.closeAll(), drainTimeoutMs);
    await emptyAcceptQueue(server);
    const idleTimer = setTimeout(() => void this.closeIdle(server), idleTimeoutMs);
    await new Promise((resolve) => NetServer.prototype.close.call(server, resolve));
    clearTimeout(idleTimer);
    clearTimeout(drainTimer);
    server.close();
  }

  private async closeIdle(server: Server): Promise<void> {
    // Timers run before sockets are read: only what is idle after the next read is closed.
    await nextIteration();
    server.closeIdleConnections();
    // Undocumented in Node: it does not consider a connection idle on which nothing was received. Test:
    // connections.test.ts ("drain").
    for (const socket of this.open) if (socket.bytesRead === 0) socket.destroy();
  }

  /** Node's `closeAllConnections` does not close connections without a parser, as after CONNECT. */
  private closeAll(): void {
    for (const socket of this.open) socket.destroy();
  }

  private requirePipeline(socket: Socket): Pipeline {
    const pipeline = this.pipelines.get(socket);
    if (pipeline === undefined) throw new TypeError('The socket does not belong to this server.');
    return pipeline;
  }
}

/**
 * Stops reading from a connection while its last responses are sent. A client that sends requests and never reads the
 * responses is disconnected by the timeout only if nothing is read from it.
 *
 * Undocumented in Node: it resumes a connection after each request, so it is paused after all requests of a read. Node
 * itself pauses it only if more waits to be sent than its buffer holds: 16 KiB, and 64 KiB since Node 22. Test:
 * slow-clients.test.ts ("never read").
 */
function pauseReading(pipeline: Pipeline): void {
  pipeline.isPauseScheduled = false;
  if (pipeline.connection.isBusy) pipeline.connection.socket.pause();
}

/**
 * Ends a request that receives no response.
 *
 * Undocumented in Node: it emits `close` only for the response in progress, not for those behind it. Their `destroy`
 * does not emit it either. Test: request-listener.test.ts.
 */
function emitClose({ response }: RequestContext): void {
  response.emit('close');
}
