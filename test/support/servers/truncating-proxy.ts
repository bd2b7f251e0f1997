import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * Stands between a client and a server, and on demand loses the answers on the connections that send next: the server
 * has it all, and the client a connection that breaks. Or all connections fall silent and stay open, as when their host
 * is gone; others can be made.
 */
export class TruncatingProxy {
  /** On how many connections answers are still to be lost. */
  cutsLeft = 0;
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {}

  static async before(port: number): Promise<TruncatingProxy> {
    const server = createServer();
    const cutter = new TruncatingProxy(server);
    server.on('connection', (client) => cutter.join(client, connect(port, '127.0.0.1')));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return cutter;
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

  private join(client: Socket, server: Socket): void {
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
