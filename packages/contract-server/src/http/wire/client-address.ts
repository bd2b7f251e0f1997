import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { Application, Request } from 'express';

/** The address of the socket or, behind trusted proxies, the client address that they report if it is an IP address. */
export function clientAddressOf(request: IncomingMessage): string | undefined {
  const { ip, socket } = request as Request;
  // A zone ("fe80::1%eth0") has a meaning on one machine only, and can have any length.
  return ip !== undefined && isIP(ip) !== 0 && !ip.includes('%') ? ip : socket.remoteAddress;
}

/** Whether connections from an address are those of a trusted proxy. */
export function isTrustedProxy(app: Application, address = ''): boolean {
  return (app.get('trust proxy fn') as (address: string, hop: number) => boolean)(address, 0);
}
