import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';

/** The socket's address or, behind trusted proxies, the client's as they report it (express, "trust proxy"). */
export function clientAddressOf(request: IncomingMessage): string | undefined {
  return (request as Request).ip;
}
