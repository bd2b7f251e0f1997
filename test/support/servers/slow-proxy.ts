import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Stands before a server of this machine and holds its answers back. */
export class SlowProxy {
  /** How long each answer takes, in milliseconds, on top. */
  delayMs = 0;

  private constructor(
    private readonly server: Server,
    private readonly sockets: Set<Socket>,
    /** Where further connections lead. */
    public target: number,
  ) {}

  static async before(port: number): Promise<SlowProxy> {
    const sockets = new Set<Socket>();
    const server = createServer((near) => {
      const far = connect(proxy.target, '127.0.0.1');
      for (const socket of [near, far]) {
        sockets.add(socket);
        // A connection that is cut here is cut there.
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

  /** Cuts every connection. */
  cut(): void {
    for (const socket of this.sockets) socket.destroy();
    this.sockets.clear();
  }

  close(): void {
    this.server.close();
    this.cut();
  }
}
