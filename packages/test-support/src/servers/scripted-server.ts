import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from './listen.js';

/** The requests that a server received. */
export interface ReceivedRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

type Reply = (response: ServerResponse) => unknown;

/** An HTTP server that returns the responses of a script in order, and then the last one again and again. */
export class ScriptedServer {
  readonly received: ReceivedRequest[] = [];
  private readonly server = createServer((request, response) => void this.respond(request, response));
  private replies: readonly Reply[] = [];
  baseUrl = '';

  async listen(): Promise<void> {
    this.baseUrl = `http://127.0.0.1:${String(await listen(this.server))}/v1`;
  }

  /** Sets the responses to the next requests, and forgets the previous requests. */
  script(...replies: readonly Reply[]): void {
    this.received.length = 0;
    this.replies = replies;
  }

  private async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: target = '', headers } = request;
    const body = await text(request);
    const reply = this.replies[Math.min(this.received.length, this.replies.length - 1)];
    this.received.push({ method, target, headers, body });
    reply?.(response);
  }
}

/** A server that the tests of a suite share, with an empty script before each test. */
export function useScriptedServer(): ScriptedServer {
  const server = new ScriptedServer();
  before(() => server.listen());
  beforeEach(() => server.script());
  return server;
}

/** A response with a body; an object becomes JSON. */
export function reply(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Reply {
  const isText = typeof body === 'string';
  const type = { 'content-type': isText ? 'text/html' : 'application/json' };
  return (response) => response.writeHead(status, { ...type, ...headers }).end(isText ? body : JSON.stringify(body));
}

export function errorReply(status: number, code: string, headers?: Readonly<Record<string, string>>): Reply {
  return reply(status, { code, message: `It is ${code}.`, status }, headers);
}

/** Closes the connection without a response. */
export const noReply: Reply = (response) => response.destroy();
