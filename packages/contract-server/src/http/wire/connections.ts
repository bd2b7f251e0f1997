import { once } from 'node:events';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { ipKeyGenerator } from 'express-rate-limit';
import { Connection, type RequestContext } from '../request-context.js';

/** How long a server that shuts down stays open for new connections, in milliseconds. */
const graceMs = 1000;

/** The open connections of a server, with the requests in progress on each. */
export class Connections {
  private readonly open = new Map<Duplex, Connection>();
  private isStopping = false;
  private isDraining = false;

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

  private end(context: RequestContext): void {
    const { pending, latest } = context.connection;
    if (!pending.delete(context)) return;
    this.onEnd(context);
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
