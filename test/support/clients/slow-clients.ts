import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** The behaviour of a slow client after it has connected. */
export type Slowness = 'headers' | 'body' | 'stopped' | 'silent' | 'deaf' | 'deaf to short responses';

/** The result of a slow connection. */
export interface Ending {
  readonly afterMs: number;
  /** The status of its response, if there was one. */
  readonly status: number | undefined;
}

/**
 * Many connections that keep a server busy: they send a byte now and then or nothing, or do not read responses.
 */
export class SlowClients {
  private readonly sockets: Socket[] = [];

  constructor(
    private readonly baseUrl: string,
    private readonly token: string,
    /** Interval between two bytes. */
    private readonly tickMs: number,
  ) {}

  /** Opens `count` connections, and resolves with the end of each when the server has closed them all. */
  async attack(count: number, slowness: Slowness): Promise<readonly Ending[]> {
    return Promise.all(Array.from({ length: count }, () => this.open(slowness)));
  }

  end(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  private async open(slowness: Slowness): Promise<Ending> {
    const { hostname, port } = new URL(this.baseUrl);
    const socket = connect({ host: hostname, port: Number(port) });
    this.sockets.push(socket);
    // The server may reset the connection.
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    const startedAt = performance.now();
    let received = '';
    if (slowness.startsWith('deaf')) socket.pause();
    else socket.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')));
    const ticking = this.misbehave(socket, slowness);
    await new Promise((resolve) => socket.once('close', resolve));
    clearInterval(ticking);
    const status = /^HTTP\/1\.1 ([0-9]{3})/.exec(received)?.[1];
    return { afterMs: performance.now() - startedAt, status: status === undefined ? undefined : Number(status) };
  }

  private misbehave(socket: Socket, slowness: Slowness): NodeJS.Timeout | undefined {
    const authorization = `Host: x\r\nAuthorization: Bearer ${this.token}\r\n`;
    switch (slowness) {
      case 'silent':
        return undefined;
      case 'headers':
        socket.write(`GET /v1/pets HTTP/1.1\r\n${authorization}X-Slow: `);
        return setInterval(() => socket.write('x'), this.tickMs);
      case 'stopped':
      case 'body':
        socket.write(
          `POST /v1/pets HTTP/1.1\r\n${authorization}Content-Type: application/json\r\nContent-Length: 5000\r\n\r\n{`,
        );
        return slowness === 'stopped' ? undefined : setInterval(() => socket.write(' '), this.tickMs);
      case 'deaf':
      case 'deaf to short responses': {
        // More responses than the buffers of both sides can contain. One short response fills no buffer of Node.
        const limit = slowness === 'deaf' ? '100' : '40';
        return setInterval(
          () => socket.write(`GET /v1/pets?limit=${limit} HTTP/1.1\r\n${authorization}\r\n`.repeat(50)),
          this.tickMs,
        );
      }
    }
  }
}
