import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, type Socket } from 'node:net';
import type { Answer } from './conformance.js';
import type { TestService } from './service.js';

type Listening = Pick<TestService, 'server'>;

const headEnd = '\r\n\r\n';

/** A connection on which a test says exactly what it wants, also what no HTTP client would send. */
export class RawConnection {
  private received = Buffer.alloc(0);

  private constructor(private readonly socket: Socket) {
    socket.on('data', (chunk: Buffer) => (this.received = Buffer.concat([this.received, chunk])));
    // A reset shows as a connection that is closed without an answer.
    socket.on('error', () => undefined);
  }

  static open(service: Listening): Promise<RawConnection> {
    return RawConnection.openTo(service.server.address() as AddressInfo);
  }

  static async openTo({ address, port }: Pick<AddressInfo, 'address' | 'port'>): Promise<RawConnection> {
    const socket = connect({ port, host: address, allowHalfOpen: true });
    await once(socket, 'connect');
    return new RawConnection(socket);
  }

  send(bytes: string | Buffer): void {
    this.socket.write(bytes);
  }

  /** The next answer as soon as it is there, whole. @throws if the server closes the connection without one. */
  async answer(): Promise<Answer> {
    for (;;) {
      const answer = this.take();
      if (answer !== undefined) return answer;
      if (this.socket.closed || this.socket.readableEnded) throw new Error(`Closed after ${this.received.toString()}`);
      await Promise.race([once(this.socket, 'data'), once(this.socket, 'end'), once(this.socket, 'close')]);
    }
  }

  /** Resolves once the server has closed its side. */
  async closed(): Promise<void> {
    if (!this.socket.readableEnded && !this.socket.closed)
      await Promise.race([once(this.socket, 'end'), once(this.socket, 'close')]);
  }

  /** Closes this side after what was sent; the other may still answer. */
  finish(): void {
    this.socket.end();
  }

  /** What has been received and not been taken as an answer. */
  get rest(): string {
    return this.received.toString('latin1');
  }

  /** Ends the connection from this side. */
  end(): void {
    this.socket.destroy();
  }

  private take(): Answer | undefined {
    const end = this.received.indexOf(headEnd);
    if (end < 0) return undefined;
    const [statusLine = '', ...lines] = this.received.toString('latin1', 0, end).split('\r\n');
    const headers = Object.fromEntries(lines.map((line) => readHeader(line)));
    const bodyAt = end + headEnd.length;
    const bodyEnd = bodyAt + Number(headers['content-length'] ?? 0);
    if (this.received.length < bodyEnd) return undefined;
    const text = this.received.toString('utf8', bodyAt, bodyEnd);
    this.received = this.received.subarray(bodyEnd);
    return { status: Number(statusLine.split(' ')[1]), headers, text };
  }
}

/** Sends a whole request on a connection of its own and resolves with its answer. Not for HEAD, whose answer has no body. */
export async function exchange(service: Listening, bytes: string | Buffer): Promise<Answer> {
  const connection = await RawConnection.open(service);
  try {
    connection.send(bytes);
    return await connection.answer();
  } finally {
    connection.end();
  }
}

function readHeader(line: string): [name: string, value: string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}
