import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * A TCP proxy that loses responses on demand: the server receives the requests of the next connections, and the client
 * receives a reset. `silence` stops forwarding and keeps the connections open, as if the host were down; new
 * connections can be made.
 */
export class TruncatingProxy {
  /** Number of connections whose responses are still to be lost. */
  cutsLeft = 0;
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {}

  static async before(port: number): Promise<TruncatingProxy> {
    const server = createServer();
    const proxy = new TruncatingProxy(server);
    server.on('connection', (client) => proxy.forward(client, connect(port, '127.0.0.1')));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  silence(): void {
    for (const socket of this.sockets) socket.removeAllListeners('data').resume();
  }

  close(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private forward(client: Socket, server: Socket): void {
    let isCut = false;
    for (const socket of [client, server]) {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => {
        this.sockets.delete(socket);
        client.destroy();
        server.destroy();
      });
    }
    client.on('data', (bytes) => {
      if (!isCut && this.cutsLeft > 0) {
        this.cutsLeft -= 1;
        isCut = true;
      }
      server.write(bytes);
    });
    server.on('data', (bytes) => {
      if (isCut) client.destroy();
      else client.write(bytes);
    });
  }
}
