import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { closeLater } from '../closing.js';

/** Where a server or a proxy listens. */
export interface ListeningAddress {
  /** Default: 127.0.0.1. */
  readonly address?: string;
  readonly port: number;
  /** If it accepts only TLS. */
  readonly tls?: { readonly ca: Buffer; readonly servername: string };
}

interface Listening {
  readonly server: Server;
}

/** A response as it was received. Header names are in lower case. */
export interface ReceivedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

const headEnd = '\r\n\r\n';

/** A TCP connection on which a test sends any bytes. It is closed after the test or file. */
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

  /** @param bytes are sent at once. */
  static async open(service: Listening, bytes: string | Buffer = ''): Promise<RawConnection> {
    const connection = await RawConnection.openTo(service.server.address() as AddressInfo);
    connection.send(bytes);
    return connection;
  }

  /** @param localAddress the client address. */
  static async openTo(
    { address: host = '127.0.0.1', port, tls }: ListeningAddress,
    localAddress = '',
  ): Promise<RawConnection> {
    const options = { port, host, allowHalfOpen: true, noDelay: true, ...(localAddress && { localAddress }) };
    const socket = tls === undefined ? connect(options) : connectTls({ ...options, ...tls });
    closeLater(() => socket.destroy());
    await once(socket, tls === undefined ? 'connect' : 'secureConnect');
    return new RawConnection(socket);
  }

  send(bytes: string | Buffer): void {
    this.socket.write(bytes);
  }

  /**
   * Resolves with the next response when it is complete; `head` for a response to a HEAD request, which has no body.
   *
   * @throws if the server closes the connection before.
   */
  async readResponse(head = false): Promise<ReceivedResponse> {
    for (;;) {
      const response = this.takeResponse(head);
      if (response !== undefined) return response;
      if (this.isEnded) throw new Error(`Closed after ${this.received.toString()}`);
      await this.whenChanged();
    }
  }

  /** Resolves when the received text that `readResponse` has not returned contains a text. */
  async whenReceived(text: string): Promise<void> {
    while (!this.rest.includes(text)) {
      if (this.isEnded) throw new Error(`Closed after ${this.rest}`);
      await this.whenChanged();
    }
  }

  /** Resolves when the server has closed its side. */
  async whenEnded(): Promise<void> {
    while (!this.isEnded) await this.whenChanged();
  }

  /** Resolves when both sides are closed, or the connection is reset. */
  async whenClosed(): Promise<void> {
    if (!this.socket.closed) await new Promise((resolve) => this.socket.once('close', resolve));
  }

  /** Forgets what has been received. */
  clear(): void {
    this.received = Buffer.alloc(0);
  }

  /** Closes this side after what was sent; the server can still respond. */
  endSending(): void {
    this.socket.end();
  }

  /** The received text that `readResponse` has not returned. */
  get rest(): string {
    return this.received.toString('latin1');
  }

  /** Whether the server has reset the connection. */
  get isReset(): boolean {
    return this.error !== undefined;
  }

  /** Resets the connection, which the server notices at once. */
  reset(): void {
    this.socket.resetAndDestroy();
  }

  /** Closes the connection immediately. */
  end(): void {
    this.socket.destroy();
  }

  /** Resolves when something has been received, or the connection has ended. Only one caller can wait. */
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

/** Sends a complete request on a new connection and resolves with the response. Not for HEAD. */
export async function sendRaw(service: Listening, bytes: string | Buffer): Promise<ReceivedResponse> {
  const connection = await RawConnection.open(service, bytes);
  const response = await connection.readResponse();
  connection.end();
  return response;
}

function readHeader(line: string): [name: string, value: string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}
