import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { closeLater } from '../closing.js';

/** The behaviour of a slow client after it has connected. */
export type Slowness = 'headers' | 'body' | 'stopped' | 'silent' | 'deaf' | 'deaf to short responses';

/** The result of a slow connection. */
export interface Ending {
  readonly afterMs: number;
  /** The status of its response, if there was one. */
  readonly status: number | undefined;
}

/** Many connections that keep a server busy: they send a byte now and then or nothing, or do not read responses. */
export class SlowClients {
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

  private async open(slowness: Slowness): Promise<Ending> {
    const { hostname: host, port } = new URL(this.baseUrl);
    // The server may reset the connection.
    const socket = connect({ host, port: Number(port) }).on('error', () => undefined);
    closeLater(() => socket.destroy());
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
    const upload = 'Content-Type: application/json\r\nContent-Length: 5000\r\n\r\n{';
    // More responses than the buffers of both sides can contain. One short response fills no buffer of Node.
    const list = (limit: number) => `GET /v1/pets?limit=${String(limit)} HTTP/1.1\r\n${authorization}\r\n`.repeat(50);
    const behaviours: Readonly<Record<Slowness, readonly [first: string, repeated: string]>> = {
      silent: ['', ''],
      headers: [`GET /v1/pets HTTP/1.1\r\n${authorization}X-Slow: `, 'x'],
      stopped: [`POST /v1/pets HTTP/1.1\r\n${authorization}${upload}`, ''],
      body: [`POST /v1/pets HTTP/1.1\r\n${authorization}${upload}`, ' '],
      deaf: ['', list(100)],
      'deaf to short responses': ['', list(40)],
    };
    const [first, repeated] = behaviours[slowness];
    if (first !== '') socket.write(first);
    return repeated === '' ? undefined : setInterval(() => socket.write(repeated), this.tickMs);
  }
}
