import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { ipKeyGenerator } from 'express-rate-limit';
import { Connection, type RequestContext } from '../request-context.js';
import { hasTooMany, sendNext } from './pipelining.js';

/** How long a server that shuts down stays open for new connections, in milliseconds. */
const graceMs = 1000;

/** The open connections of a server, with the requests in progress on each. */
export class Connections {
  /** How long a request may take while a client has too many in progress on its connection, in milliseconds. */
  longMs = 5000;
  private readonly open = new Map<Duplex, Connection>();
  private isStopping = false;
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
    connection.latest = context;
    context.closesConnection = this.isStopping;
    if (this.isDraining) context.drain();
    response.once('close', () => this.end(context));
  }

  /**
   * Shuts a server down: for one second it still accepts connections, with `Connection: close` in every response. Then
   * the listener and the idle connections are closed, event streams end, and the requests in progress have `drainMs`.
   */
  async close(server: Server, drainMs: number): Promise<void> {
    if (!server.listening) return;
    this.isStopping = true;
    for (const { pending } of this.open.values()) for (const context of pending) context.closesConnection = true;
    await delay(graceMs);
    const closed = once(server, 'close');
    server.close();
    this.isDraining = true;
    for (const { pending } of this.open.values()) for (const context of pending) context.drain();
    // Node does not consider a connection idle on which nothing was received.
    for (const socket of this.open.keys()) if ('bytesRead' in socket && socket.bytesRead === 0) socket.destroy();
    // Node's `closeAllConnections` does not close connections without a parser, as after CONNECT.
    const timer = setTimeout(() => {
      for (const socket of this.open.keys()) socket.destroy();
    }, drainMs);
    await closed;
    clearTimeout(timer);
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
    const { pending, latest } = connection;
    if (!pending.delete(context)) return;
    this.onEnd(context);
    sendNext(connection);
    // If the response had no `Connection: close`, because it was that of a route, or had begun before the shutdown.
    if (this.isStopping && pending.size === 0 && latest?.request === context.request)
      context.request.socket.destroySoon();
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
