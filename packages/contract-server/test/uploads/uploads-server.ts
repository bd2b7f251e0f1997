/** Serves the uploads on a free port, which it prints. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { uploadsRouter } from './uploads.js';

const server = express()
  .use(await uploadsRouter({ gzipBodies: true }))
  .listen(0, '127.0.0.1');
await once(server, 'listening');
console.log((server.address() as AddressInfo).port);
