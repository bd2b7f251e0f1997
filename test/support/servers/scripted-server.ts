import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

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
  script: Reply[] = [];

  private constructor(private readonly server: Server) {}

  static async start(): Promise<ScriptedServer> {
    const http = createServer((request, response) => void scripted.response(request, response));
    const scripted = new ScriptedServer(http);
    http.listen(0, '127.0.0.1');
    await once(http, 'listening');
    return scripted;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}/v1`;
  }

  async close(): Promise<void> {
    this.server.close().closeAllConnections();
    await once(this.server, 'close');
  }

  private async response(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: target = '', headers } = request;
    const body = await text(request);
    const reply = this.script[Math.min(this.received.length, this.script.length - 1)];
    this.received.push({ method, target, headers, body });
    reply?.(response);
  }
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
