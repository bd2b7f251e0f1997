import type { Server } from 'node:net';
import type { AcceptedConnection } from './fair-scheduler.js';

/** What Node keeps in a server that listens, and in a connection before it has a socket. */
interface ServerHandle {
  onconnection?: (this: ServerHandle, error: number, client?: ClientHandle) => void;
}

interface ClientHandle {
  getpeername(out: { address?: string }): number;
  close(): void;
}

/**
 * Hands on each connection before Node creates a socket and a parser for it, which costs 80 µs: Node accepts one
 * connection in each event-loop tick, so a flood of them from one address would make the others wait. Where Node works
 * otherwise, connections are accepted as usual.
 */
export function interceptAccept(
  server: Server,
  accept: (address: string | undefined, accepted: AcceptedConnection) => void,
): void {
  server.on('listening', () => {
    const { _handle: handle } = server as unknown as { _handle?: ServerHandle };
    const create = handle?.onconnection;
    if (handle === undefined || create === undefined) return;
    handle.onconnection = (error, client) => {
      if (client === undefined) {
        create.call(handle, error, client);
        return;
      }
      const peer: { address?: string } = {};
      client.getpeername(peer);
      accept(peer.address, { open: () => create.call(handle, error, client), reject: () => client.close() });
    };
  });
}
