import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** An error that the proxy sends in place of the response to a statement. */
export interface Fault {
  /** The SQLSTATE. */
  readonly code: string;
  /** Whether the server still executes the statement. */
  readonly isExecuted: boolean;
}

/**
 * A TCP proxy for PostgreSQL that parses messages: it makes statements fail, and runs other statements in the sessions
 * of its clients.
 */
export class PostgresProxy {
  /** How a statement fails, by its text on the wire; `undefined` if it does not. */
  faultOf: (statement: string) => Fault | undefined = () => undefined;
  /** Maximum number of sessions. Others are rejected as by PgBouncer. */
  sessionsMax = Infinity;
  onRejection: () => void = () => undefined;
  private readonly sessions = new Set<ProxiedSession>();

  private constructor(private readonly server: Server) {}

  static async before(port: number): Promise<PostgresProxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const proxy = new PostgresProxy(server);
    server.on('connection', (client) => {
      if (proxy.sessions.size >= proxy.sessionsMax) {
        client.on('error', () => undefined).resume();
        client.end(errorOf('08P01'));
        proxy.onRejection();
        return;
      }
      const session = new ProxiedSession(client, connect(port, '127.0.0.1'), (statement) => proxy.faultOf(statement));
      proxy.sessions.add(session);
      client.once('close', () => proxy.sessions.delete(session));
    });
    return proxy;
  }

  /** The URL that leads to the same database through the proxy. */
  urlOf(url: string): string {
    const proxied = new URL(url);
    proxied.port = String((this.server.address() as AddressInfo).port);
    return proxied.href;
  }

  /**
   * Runs a statement in every session that is open, without its client.
   *
   * @returns how many there are. @throws Error with the messages if it fails.
   */
  async runInSessions(sql: string): Promise<number> {
    const sessions = [...this.sessions];
    const errors = await Promise.all(sessions.map((session) => session.run(sql)));
    const messages = errors.filter((message) => message !== undefined);
    if (messages.length > 0) throw new Error(messages.join('\n'));
    return sessions.length;
  }

  close(): void {
    this.server.close();
    for (const session of this.sessions) session.close();
  }
}

/** The handling of the server's response to one request; responses arrive in the order of the requests. */
interface Response {
  readonly isHidden: boolean;
  /** Sent in place of the response. */
  readonly error?: Buffer | undefined;
  readonly onError?: (message: string) => void;
  readonly onEnd?: () => void;
}

class ProxiedSession {
  private readonly responses: Response[] = [{ isHidden: false }];
  private readonly fromClient = new Messages(true);
  private readonly fromServer = new Messages(false);
  private request: Buffer[] = [];

  constructor(
    private readonly client: Socket,
    private readonly server: Socket,
    private readonly faultOf: PostgresProxy['faultOf'],
  ) {
    for (const socket of [client, server]) {
      socket.on('error', () => undefined).once('close', () => this.close());
      // Each message is written separately: with Nagle's algorithm, the second one waits for a delayed acknowledgement.
      socket.setNoDelay(true);
    }
    client.on('data', (bytes) => this.fromClient.read(bytes).forEach((message) => this.take(message)));
    server.on('data', (bytes) => this.fromServer.read(bytes).forEach((message) => this.response(message)));
  }

  /** Resolves with the error message of the server, if there is one. */
  run(sql: string): Promise<string | undefined> {
    return new Promise((resolve) => {
      let error: string | undefined;
      this.responses.push({ isHidden: true, onError: (message) => (error = message), onEnd: () => resolve(error) });
      this.server.write(messageOf('Q', `${sql}\0`));
    });
  }

  close(): void {
    this.client.destroy();
    this.server.destroy();
  }

  private take({ type, bytes }: Message): void {
    this.request.push(bytes);
    // A request is complete with Sync, or is a simple query. What starts and ends a session has no response that ends
    // with ReadyForQuery.
    if (type === undefined || 'pX'.includes(type)) this.server.write(this.takeRequest());
    else if ('SQ'.includes(type)) this.forward(this.takeRequest());
  }

  private takeRequest(): Buffer {
    return Buffer.concat(this.request.splice(0));
  }

  private forward(request: Buffer): void {
    const fault = this.faultOf(request.toString('latin1'));
    const error = fault && Buffer.concat([errorOf(fault.code), messageOf('Z', 'I')]);
    if (error !== undefined && fault?.isExecuted === false) this.client.write(error);
    else {
      this.responses.push({ isHidden: error !== undefined, error });
      this.server.write(request);
    }
  }

  private response({ type, bytes }: Message): void {
    const [response] = this.responses;
    if (response?.isHidden !== true) this.client.write(bytes);
    if (type === 'E') response?.onError?.(errorMessageOf(bytes));
    if (type === 'Z') this.endResponse();
  }

  private endResponse(): void {
    const response = this.responses.shift();
    if (response?.error !== undefined) this.client.write(response.error);
    response?.onEnd?.();
  }
}

interface Message {
  /** Absent in the first message of a client. */
  readonly type: string | undefined;
  readonly bytes: Buffer;
}

/** Divides a stream into messages (postgresql.org/docs/current/protocol-message-formats.html). */
class Messages {
  private rest = Buffer.alloc(0);

  constructor(private isFirstUntyped: boolean) {}

  read(bytes: Buffer): Message[] {
    this.rest = Buffer.concat([this.rest, bytes]);
    const messages: Message[] = [];
    for (;;) {
      const typeBytes = this.isFirstUntyped ? 0 : 1;
      if (this.rest.length < typeBytes + 4) return messages;
      const length = typeBytes + this.rest.readInt32BE(typeBytes);
      if (this.rest.length < length) return messages;
      const type = this.isFirstUntyped ? undefined : String.fromCharCode(this.rest.readUInt8(0));
      messages.push({ type, bytes: this.rest.subarray(0, length) });
      this.rest = this.rest.subarray(length);
      this.isFirstUntyped = false;
    }
  }
}

function messageOf(type: string, text: string): Buffer {
  const message = Buffer.alloc(5 + Buffer.byteLength(text));
  message.write(type);
  message.writeInt32BE(message.length - 1, 1);
  message.write(text, 5);
  return message;
}

function errorOf(code: string): Buffer {
  return messageOf('E', `SERROR\0VERROR\0C${code}\0Minjected by the test\0\0`);
}

/** The field M of an ErrorResponse. */
function errorMessageOf(bytes: Buffer): string {
  return /\0M([^\0]*)/.exec(bytes.toString())?.[1] ?? '';
}
