import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/**
 * The response of a faulty server to a command: it sends bytes, or closes or ignores the connection.
 *
 * @param reply the correct reply.
 * @param keyCount number of keys of a script: one per request to decide about.
 */
export type Fault = (socket: Socket, reply: string, keyCount: number) => unknown;

/**
 * The command at which a server becomes faulty: the first, after authentication, or at a decision about a request.
 */
export type FaultyFrom = 'hello' | 'connected' | 'request';

/** Implements as much of Redis's protocol as a node needs, until the fault begins. */
export class FaultyRedis {
  /** How often the fault has occurred. */
  begun = 0;
  private fault: Fault = () => undefined;
  private from: FaultyFrom = 'request';

  private constructor(
    private readonly server: Server,
    private readonly sockets: Set<Socket>,
  ) {}

  static async start(): Promise<FaultyRedis> {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
      let text = '';
      socket.setEncoding('latin1').on('data', (part: string) => {
        text += part;
        for (let command = readCommand(text); command !== undefined; command = readCommand(text)) {
          text = text.slice(command.length);
          faulty.serve(socket, command.words);
        }
      });
    }).listen(0, '127.0.0.1');
    const faulty = new FaultyRedis(server, sockets);
    await once(server, 'listening');
    return faulty;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  begin(from: FaultyFrom, fault: Fault): void {
    this.begun = 0;
    this.from = from;
    this.fault = fault;
  }

  close(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private serve(socket: Socket, [name = '', , keyCount = '', key = '']: readonly string[]): void {
    const isRequest = name.startsWith('EVAL') && !key.endsWith(':probe');
    const reply = replyTo(name, Number(keyCount));
    if (this.from === 'hello' || isRequest || (this.from === 'connected' && name !== 'HELLO')) {
      this.begun += 1;
      this.fault(socket, reply, Number(keyCount));
    } else {
      socket.write(reply);
    }
  }
}

function replyTo(name: string, keyCount: number): string {
  if (name === 'HELLO') return `%1\r\n${bulk('server')}${bulk('redis')}`;
  const now = Date.now();
  return decisions(keyCount, now, 0, 0, now, 1, 0, now, 1, 0);
}

/** The reply of the script that decides about requests, with the same numbers for each. */
export function decisions(count: number, ...numbers: readonly (number | string)[]): string {
  const values = numbers.map((value) => `${typeof value === 'number' ? `:${String(value)}` : value}\r\n`);
  return `*${String(count)}\r\n${`*${String(values.length)}\r\n${values.join('')}`.repeat(count)}`;
}

function bulk(text: string): string {
  return `$${String(text.length)}\r\n${text}\r\n`;
}

/** The first command of a text, and its length; `undefined` if it is incomplete. */
function readCommand(text: string): { words: string[]; length: number } | undefined {
  const head = /^\*(\d+)\r\n/.exec(text);
  if (head === null) return undefined;
  const words: string[] = [];
  let position = head[0].length;
  for (let index = 0; index < Number(head[1]); index += 1) {
    const size = /^\$(\d+)\r\n/.exec(text.slice(position, position + 16));
    if (size === null) return undefined;
    position += size[0].length;
    const end = position + Number(size[1]);
    if (text.length < end + 2) return undefined;
    words.push(text.slice(position, end));
    position = end + 2;
  }
  return { words, length: position };
}
