import type { Server } from 'node:net';

/** A connection that was accepted and has no socket yet. */
export interface AcceptedConnection {
  /** Creates its socket. */
  open(): void;
  /** Closes it. */
  reject(): void;
}

/** The handle of a listening server, and the handle of a connection before it has a socket. */
interface ServerHandle {
  onconnection?: (this: ServerHandle, error: number, client?: ClientHandle) => void;
}

interface ClientHandle {
  getpeername(out: { address?: string }): number;
  close(): void;
}

/**
 * Passes each accepted connection to a function before Node creates a socket and a parser for it, which takes 80 µs.
 * Node accepts one connection in each event-loop tick, so a flood of connections from one address would delay all
 * others. A rejected connection is reported with the event `drop`, as Node does beyond `maxConnections`.
 *
 * Undocumented in Node: `server._handle.onconnection`. There is no public API that runs before the socket exists:
 * `maxConnections` and `drop` depend on the number of connections only. If Node changes it, connections are accepted as
 * usual. Test: intercept-accept.test.ts.
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
      accept(peer.address, {
        open: () => create.call(handle, error, client),
        reject: () => {
          client.close();
          server.emit('drop', peer.address === undefined ? {} : { remoteAddress: peer.address });
        },
      });
    };
  });
}
