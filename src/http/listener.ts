import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StartError } from '../lib/errors.js';

/** Maximum number of connections that wait to be accepted; the operating system may have a lower limit. */
const backlogMax = 4096;

export interface ListenerOptions {
  readonly host: string;
  /** 0 for a free port. */
  readonly port: number;
  /** The settings that the host and the port come from, for the error message. */
  readonly settings: string;
  /** Receives errors of the server while it listens, such as that of a connection that cannot be accepted. */
  readonly report: (error: unknown) => void;
}

/** The address on which a server listens. */
export class Listener {
  private listening: string | undefined;

  constructor(private readonly options: ListenerOptions) {}

  /** The origin of the address. @throws TypeError before the server listens. */
  get origin(): string {
    if (this.listening === undefined) throw new TypeError('The server does not listen yet.');
    return this.listening;
  }

  /** Resolves with the origin. @throws StartError if the server cannot listen on the address. */
  async listen(server: Server): Promise<string> {
    const { host, port, settings, report } = this.options;
    server.listen({ port, host, backlog: backlogMax });
    try {
      await once(server, 'listening');
    } catch (error) {
      const message = `Cannot listen on ${host} port ${String(port)}: ${(error as Error).message}. See ${settings}.`;
      throw new StartError(message, { cause: error });
    }
    server.on('error', report);
    const { address, family, port: actualPort } = server.address() as AddressInfo;
    this.listening = `http://${family === 'IPv6' ? `[${address}]` : address}:${String(actualPort)}`;
    return this.listening;
  }
}
