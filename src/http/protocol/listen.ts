import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StartError } from '../../lib/start-error.js';

/** How many connections may wait to be accepted; the system has a maximum of its own. */
const backlogMax = 4096;

export interface Place {
  readonly host: string;
  readonly port: number;
  /** Where the operator chose it. */
  readonly settings: string;
}

/** Resolves with the origin of the listener's own address. @throws StartError if the address cannot be had. */
export async function listen(server: Server, { host, port, settings }: Place): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      reject(
        new StartError(`Cannot listen on ${host} port ${String(port)}: ${error.message}. See ${settings}.`, {
          cause: error,
        }),
      );
    });
    server.listen({ port, host, backlog: backlogMax }, resolve);
  });
  const address = server.address() as AddressInfo;
  return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${String(address.port)}`;
}
