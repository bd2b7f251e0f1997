import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { closeLater } from '../closing.js';

/** Makes a server listen on a free port until the end of the test or suite. Resolves with the port. */
export async function listen(server: Server & { closeAllConnections?: () => void }): Promise<number> {
  closeLater(() => {
    server.close();
    server.closeAllConnections?.();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}
