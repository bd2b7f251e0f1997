import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP proxy that delays the responses of a server. */
export class SlowProxy {
  /** The delay of each response, in milliseconds. */
  delayMs = 0;

  private constructor(
    private readonly server: Server,
    private readonly sockets: Set<Socket>,
    /** The port that new connections are forwarded to. */
    public target: number,
  ) {}

  static async before(port: number): Promise<SlowProxy> {
    const sockets = new Set<Socket>();
    const server = createServer((near) => {
      const far = connect(proxy.target, '127.0.0.1');
      for (const socket of [near, far]) {
        sockets.add(socket);
        // A connection that is reset on one side is reset on the other.
        socket.on('error', () => undefined).once('close', () => [near, far].forEach((other) => other.destroy()));
      }
      near.pipe(far);
      far.on('data', (bytes: Buffer) => void setTimeout(() => near.write(bytes), proxy.delayMs));
    }).listen(0, '127.0.0.1');
    const proxy = new SlowProxy(server, sockets, port);
    await once(server, 'listening');
    return proxy;
  }

  get url(): string {
    return `redis://127.0.0.1:${String((this.server.address() as AddressInfo).port)}`;
  }

  /** Resets every connection. */
  cut(): void {
    for (const socket of this.sockets) socket.destroy();
    this.sockets.clear();
  }

  close(): void {
    this.server.close();
    this.cut();
  }
}
