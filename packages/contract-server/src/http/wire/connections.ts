import { once } from 'node:events';
import { type IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Application } from 'express';
import { ipKeyGenerator } from 'express-rate-limit';
import { Connection, type RequestContext } from '../request-context.js';
import { isTrustedProxy } from './client-address.js';
import { hasTooMany, sendNext } from './pipelining.js';
import { announceClose } from './send-response.js';

/** How long a server that shuts down stays open for new connections, in milliseconds. */
const graceMs = 1000;

/** The open connections of a server, with the requests in progress on each. */
export class Connections {
  /** During a shutdown, idle connections are closed once none has become idle for this long, in milliseconds. */
  idleMs = 1000;
  /** How long a request may take while a client has too many in progress on its connection, in milliseconds. */
  longMs = 5000;
  private readonly open = new Map<Duplex, Connection>();
  /** Runs `closeIdle` during a shutdown, and restarts when a connection becomes idle. */
  private idleTimer: NodeJS.Timeout | undefined;
  /** The pending call of `closeIdle`, at the end of an iteration of the event loop. */
  private idleCheck: NodeJS.Immediate | undefined;
  private isDraining = false;
  /** The connections with too many requests in progress, while it is not known whether the first takes `longMs`. */
  private readonly watched = new WeakSet<Connection>();

  /** @param onEnd is called once for each request when its response has been sent, or its client has disconnected. */
  constructor(private readonly onEnd: (context: RequestContext) => void) {}

  /** The number of open connections. */
  get count(): number {
    return this.open.size;
  }

  /** The number of requests in progress. */
  get requestsInFlight(): number {
    let count = 0;
    for (const { pending } of this.open.values()) count += pending.size;
    return count;
  }

  add(socket: Socket): void {
    const connection = new Connection();
    connection.isStopping = this.idleTimer !== undefined;
    this.noteIdle();
    this.open.set(socket, connection);
    // Each pipelined request has its own, and Node would warn of the eleventh.
    socket.setMaxListeners(0);
    socket.once('close', () => {
      this.open.delete(socket);
      connection.waiting.clear();
      // Node emits `close` only for the response in progress, not for those of pipelined requests behind it.
      for (const context of connection.pending) this.end(context);
    });
  }

  /** @throws TypeError for a socket that is closed or belongs to another server. */
  of(socket: Duplex): Connection {
    const connection = this.open.get(socket);
    if (connection === undefined) throw new TypeError('The socket does not belong to this server.');
    return connection;
  }

  /**
   * Whether a request that has arrived is served: no other one was the last of its connection (RFC 9112, section 9.6),
   * and its client has not sent too many behind one that takes long.
   */
  accepts({ socket }: IncomingMessage, connection: Connection): boolean {
    if (hasTooMany(connection, 1)) this.limitPipelining(connection, socket);
    const isServed = !connection.isClosing && socket.writable;
    if (!isServed) connection.discarded += 1;
    return isServed;
  }

  /** Must be called for each request that will receive a response. */
  begin(context: RequestContext): void {
    const { connection, response } = context;
    connection.pending.add(context);
    if (connection.pending.size > 1) connection.isPipelined = true;
    connection.latest = context;
    if (connection.isStopping) announceClose(context);
    if (this.isDraining) context.drain();
    response.once('close', () => this.end(context));
  }

  /**
   * Shuts a server down: for one second it still accepts connections. Then the listener is closed, event streams end,
   * and the requests in progress have `drainMs`. Every response says `Connection: close` (RFC 9112, section 9.6). A
   * connection whose last response did not, because it had begun before, is closed when it has been idle for a second.
   */
  async close(server: Server, drainMs: number): Promise<void> {
    if (!server.listening) return;
    // Node first reads what has arrived.
    const closeIdle = () => (this.idleCheck = setImmediate(() => this.closeIdle(server)));
    this.idleTimer ??= setInterval(closeIdle, this.idleMs);
    for (const connection of this.open.values()) {
      connection.isStopping = true;
      for (const context of connection.pending) announceClose(context);
    }
    await delay(graceMs);
    const closed = once(server, 'close');
    // `close` calls it, but a client may be sending a request on a connection that became idle a moment ago.
    server.closeIdleConnections = () => undefined;
    server.close();
    this.isDraining = true;
    for (const { pending } of this.open.values()) for (const context of pending) context.drain();
    // Node's `closeAllConnections` does not close connections without a parser, as after CONNECT.
    const deadline = setTimeout(() => {
      for (const socket of this.open.keys()) socket.destroy();
    }, drainMs);
    await closed;
    clearTimeout(deadline);
    clearInterval(this.idleTimer);
  }

  /** Closes the idle connections, unless a client has not read its response: Node would close that connection, too. */
  private closeIdle(server: Server): void {
    for (const { pending } of this.open.values())
      for (const { response } of pending) if (response.writableEnded) return;
    Server.prototype.closeIdleConnections.call(server);
    // Node does not consider a connection idle on which nothing was received.
    for (const socket of this.open.keys()) if ('bytesRead' in socket && socket.bytesRead === 0) socket.destroy();
  }

  /** Disconnects a client with too many requests in progress behind a stream, a file or one that takes `longMs`. */
  private limitPipelining(connection: Connection, socket: Socket): void {
    if (connection.longResponses > 0) {
      socket.destroy();
      return;
    }
    if (this.watched.has(connection)) return;
    this.watched.add(connection);
    const { pending } = connection;
    const [first] = pending;
    const check = () => {
      this.watched.delete(connection);
      if (first !== undefined && pending.has(first)) socket.destroy();
      else if (pending.size > 0 && hasTooMany(connection)) this.limitPipelining(connection, socket);
    };
    setTimeout(check, this.longMs).unref();
  }

  private end(context: RequestContext): void {
    const { connection } = context;
    if (!connection.pending.delete(context)) return;
    this.onEnd(context);
    if (connection.pending.size > 0) sendNext(connection);
    else if (!connection.isClosing) this.noteIdle();
  }

  private noteIdle(): void {
    if (this.idleTimer === undefined) return;
    this.idleTimer.refresh();
    clearImmediate(this.idleCheck);
  }
}

/**
 * Limits the open connections of each client address: returns a function that counts a connection, and closes it if its
 * client address has too many. IPv6 addresses count by /56, as for rate limits.
 *
 * @param max 0 for no limit.
 * @param isProxy whether an address is that of a trusted proxy, whose connections carry the requests of many clients.
 * @param warn receives the address of the first connection that is closed.
 */
export function limitConnections(
  max: number,
  isProxy: (address: string) => boolean,
  warn?: (address: string) => void,
): (socket: Socket) => void {
  const counts = new Map<string, number>();
  let hasWarned = false;
  return (socket) => {
    const { remoteAddress = '' } = socket;
    if (max === 0 || isProxy(remoteAddress)) return;
    const address = ipKeyGenerator(remoteAddress);
    const countOf = () => counts.get(address) ?? 0;
    counts.set(address, countOf() + 1);
    socket.once('close', () => {
      counts.set(address, countOf() - 1);
      if (countOf() === 0) counts.delete(address);
    });
    if (countOf() <= max) return;
    socket.destroy();
    if (!hasWarned) warn?.(remoteAddress);
    hasWarned = true;
  };
}

/**
 * Adds a check to `onEnd` which finds trusted proxies that do not report client addresses: they forward the header of a
 * client unchanged, so each client can choose its address. Health checks come without the header from any proxy.
 *
 * @param warn receives the address that sent the first such request.
 */
export function checkForwardedFor(
  app: Application,
  onEnd: (context: RequestContext) => void,
  warn: ((address: string) => void) | undefined,
): typeof onEnd {
  if (app.get('trust proxy') === false) return onEnd;
  let hasWarned = warn === undefined;
  return (context) => {
    onEnd(context);
    if (hasWarned || context.isMonitoring) return;
    const { headers, socket } = context.request;
    if (headers['x-forwarded-for'] !== undefined || !isTrustedProxy(app, socket.remoteAddress)) return;
    hasWarned = true;
    warn?.(socket.remoteAddress ?? '');
  };
}
