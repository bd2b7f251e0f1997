/** Serves a stream of 1 GiB from each kind of source, on a free port, which it prints. */
import { once } from 'node:events';
import { createReadStream, mkdtempSync, truncateSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ContractTypes } from '@contract-server/core/types/types.js';
import express from 'express';
import { createRouter, file } from '#src/index.js';

const chunkBytes = 65_536;
const chunks = 16_384;

async function* itemsOf(createItem: () => unknown) {
  for (let count = 0; count < chunks; count += 1) yield await Promise.resolve(createItem());
}

const chunk = Buffer.alloc(chunkBytes);
const directory = mkdtempSync(join(tmpdir(), 'contract-server-streams-'));
const sparse = join(directory, 'file');
writeFileSync(sparse, '');
truncateSync(sparse, chunkBytes * chunks);
const text = 'x'.repeat(chunkBytes - 'data: \n\n'.length);
const sources = {
  bytes: ['application/octet-stream', () => itemsOf(() => chunk)],
  stream: ['application/octet-stream', () => createReadStream('/dev/zero', { end: chunkBytes * chunks - 1 })],
  file: ['application/octet-stream', () => file(sparse)],
  events: ['text/event-stream', () => itemsOf(() => ({ data: text }))],
  lines: ['application/x-ndjson', () => itemsOf(() => ({ text: text.slice(0, chunkBytes - '{"text":""}\n'.length) }))],
} as const;

const schemas = { 'application/x-ndjson': { type: 'array', items: { type: 'object' } } };
const paths = Object.entries(sources).map(([operationId, [type]]) => {
  const content = { [type]: { schema: type in schemas ? schemas['application/x-ndjson'] : { type: 'string' } } };
  return [`/${operationId}`, { get: { operationId, responses: { 200: { description: '1 GiB.', content } } } }];
});
const contract = join(directory, 'contract.json');
const info = { title: 'Streams', version: '1.0.0' };
writeFileSync(contract, JSON.stringify({ openapi: '3.1.1', info, paths: Object.fromEntries(paths) as object }));

const handlers = Object.fromEntries(
  Object.entries(sources).map(([id, [, create]]) => [id, () => Promise.resolve({ status: 200, body: create() })]),
);
const server = express()
  .use(await createRouter<ContractTypes>()({ contract, handlers: handlers as object }))
  .listen(0, '127.0.0.1');
await once(server, 'listening');
console.log((server.address() as AddressInfo).port);
