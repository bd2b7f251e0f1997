import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, type Socket } from 'node:net';
import type { ReceivedResponse } from '../contract/conformance.js';
import type { TestService } from '../servers/service.js';

type Listening = Pick<TestService, 'server'>;

const headEnd = '\r\n\r\n';

/** A connection on which a test says exactly what it wants, also what no HTTP client would send. */
export class RawConnection {
  private received = Buffer.alloc(0);
  private isEnded = false;
  private error: Error | undefined;
  private wake: () => void = () => undefined;

  private constructor(private readonly socket: Socket) {
    socket.on('data', (chunk: Buffer) => {
      this.received = Buffer.concat([this.received, chunk]);
      this.wake();
    });
    socket.on('error', (error) => (this.error = error));
    for (const ending of ['end', 'close']) {
      socket.on(ending, () => {
        this.isEnded = true;
        this.wake();
      });
    }
  }

  static open(service: Listening): Promise<RawConnection> {
    return RawConnection.openTo(service.server.address() as AddressInfo);
  }

  /** @param localAddress where it comes from, if that matters. */
  static async openTo(
    { address, port }: Pick<AddressInfo, 'address' | 'port'>,
    localAddress?: string,
  ): Promise<RawConnection> {
    const socket = connect({
      port,
      host: address,
      allowHalfOpen: true,
      noDelay: true,
      ...(localAddress && { localAddress }),
    });
    await once(socket, 'connect');
    return new RawConnection(socket);
  }

  send(bytes: string | Buffer): void {
    this.socket.write(bytes);
  }

  /**
   * The next answer as soon as it is there, whole; `head` for that to a HEAD request, which announces a body and has
   * none.
   *
   * @throws if the server closes the connection without one.
   */
  async readResponse(head = false): Promise<ReceivedResponse> {
    for (;;) {
      const response = this.takeResponse(head);
      if (response !== undefined) return response;
      if (this.isEnded) throw new Error(`Closed after ${this.received.toString()}`);
      await this.whenChanged();
    }
  }

  /** Resolves once the server has closed its side. */
  async whenEnded(): Promise<void> {
    while (!this.isEnded) await this.whenChanged();
  }

  /** Resolves once both sides are closed, or the connection is cut. */
  async whenClosed(): Promise<void> {
    if (!this.socket.closed) await new Promise((resolve) => this.socket.once('close', resolve));
  }

  /** Closes this side after what was sent; the other may still answer. */
  endSending(): void {
    this.socket.end();
  }

  /** What has been received and not been taken as an answer. */
  get rest(): string {
    return this.received.toString('latin1');
  }

  /** Whether the server has cut the connection, with whatever was on its way. */
  get isReset(): boolean {
    return this.error !== undefined;
  }

  /** Cuts the connection: the other side learns at once that nobody is there any more. */
  reset(): void {
    this.socket.resetAndDestroy();
  }

  /** Ends the connection from this side. */
  end(): void {
    this.socket.destroy();
  }

  /** Resolves when something has been received, or the connection has ended. One may wait at a time. */
  private whenChanged(): Promise<void> {
    return new Promise((resolve) => (this.wake = resolve));
  }

  private takeResponse(head: boolean): ReceivedResponse | undefined {
    const end = this.received.indexOf(headEnd);
    if (end < 0) return undefined;
    const [statusLine = '', ...lines] = this.received.toString('latin1', 0, end).split('\r\n');
    const headers = Object.fromEntries(lines.map((line) => readHeader(line)));
    const bodyAt = end + headEnd.length;
    const bodyEnd = bodyAt + (head ? 0 : Number(headers['content-length'] ?? 0));
    if (this.received.length < bodyEnd) return undefined;
    const text = this.received.toString('utf8', bodyAt, bodyEnd);
    this.received = this.received.subarray(bodyEnd);
    return { status: Number(statusLine.split(' ')[1]), headers, text };
  }
}

/** Sends a whole request on a connection of its own and resolves with its answer. Not for HEAD. */
export async function sendRaw(service: Listening, bytes: string | Buffer): Promise<ReceivedResponse> {
  const connection = await RawConnection.open(service);
  try {
    connection.send(bytes);
    return await connection.readResponse();
  } finally {
    connection.end();
  }
}

function readHeader(line: string): [name: string, value: string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}
