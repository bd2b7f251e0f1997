import { connect, createServer, type Socket } from 'node:net';
import { closeLater } from '../closing.js';
import { listen } from './listen.js';

/** A TCP proxy that delays, loses or changes the responses of a server. It is closed after the test or suite. */
export class TcpProxy {
  /** The delay of each response, in milliseconds. */
  delayMs = 0;
  /** Number of connections whose next response is still to be lost: the client receives a reset. */
  lossesLeft = 0;
  /** Delivers a part of a response. */
  deliver: (client: Socket, response: Buffer, request: Buffer) => unknown = (client, response) =>
    client.write(response);
  port = NaN;
  private readonly sockets = new Set<Socket>();
  private readonly server = createServer((client) => this.forward(client, connect(this.target, '127.0.0.1')));

  /** @param target the port that new connections are forwarded to. */
  private constructor(public target: number) {}

  static async before(port: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(port);
    proxy.port = await listen(proxy.server);
    closeLater(() => proxy.cut());
    return proxy;
  }

  /** Resets every connection. */
  cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  /** Keeps the connections open without forwarding, as if the host were down; new connections can be made. */
  silence(): void {
    for (const socket of this.sockets) socket.removeAllListeners('data').resume();
  }

  private forward(client: Socket, server: Socket): void {
    let request: Buffer = Buffer.alloc(0);
    for (const socket of [client, server]) {
      this.sockets.add(socket);
      // A connection that is reset on one side is reset on the other.
      socket
        .on('error', () => undefined)
        .once('close', () => {
          this.sockets.delete(socket);
          for (const either of [client, server]) either.destroy();
        });
    }
    client.on('data', (bytes: Buffer) => server.write((request = bytes)));
    server.on('data', (response: Buffer) => {
      if (this.lossesLeft > 0) {
        this.lossesLeft -= 1;
        server.destroy();
      } else {
        setTimeout(() => this.deliver(client, response, request), this.delayMs);
      }
    });
  }
}
