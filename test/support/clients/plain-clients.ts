import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

/**
 * Clients that send requests at the same moment, each on its own connection, so that a server reads them in one
 * event-loop tick. They create no promise, no timer and no copy: all that is counted belongs to the server.
 */
export class PlainClients {
  private constructor(private readonly sockets: readonly Socket[]) {}

  static async connect(server: Server, count: number): Promise<PlainClients> {
    const { address, port } = server.address() as AddressInfo;
    const sockets = Array.from({ length: count }, () =>
      connect({ host: address, port, noDelay: true }).setEncoding('latin1'),
    );
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    return new PlainClients(sockets);
  }

  /** Sends a request from each, and returns the statuses when the last response is complete. */
  sendRequest(request: string, onResponses: (statuses: readonly number[]) => void): void {
    const statuses: number[] = [];
    for (const socket of this.sockets) {
      let received = '';
      const onData = (text: string) => {
        received += text;
        const status = wholeStatusOf(received);
        if (status === undefined) return;
        socket.off('data', onData);
        statuses.push(status);
        if (statuses.length === this.sockets.length) onResponses(statuses);
      };
      socket.on('data', onData);
    }
    for (const socket of this.sockets) socket.write(request);
  }

  end(): void {
    for (const socket of this.sockets) socket.destroy();
  }
}

/** The status of a complete response. */
function wholeStatusOf(text: string): number | undefined {
  const headEnd = text.indexOf('\r\n\r\n');
  const length = /\r\ncontent-length: ([0-9]+)/i.exec(text)?.[1];
  if (headEnd < 0 || length === undefined || text.length < headEnd + 4 + Number(length)) return undefined;
  return Number(text.slice(9, 12));
}
