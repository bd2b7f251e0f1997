/**
 * Serves the costly operations on a free port, which it prints. `/gap/start` begins to measure the event loop, and
 * `/gap/stop` returns the longest time between two of its iterations since then, in milliseconds.
 */
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ContractTypes } from '@contract-server/core/types/types.js';
import express from 'express';
import { createRouter } from '#src/index.js';
import { type CostlyOperation, operations, schemas } from './costly-operations.js';

const contentOf = (types: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(types).map(([type, schema]) => [type, { schema }]));

function describe(operationId: string, { bodies, parameters = [], response }: CostlyOperation): object {
  const content = contentOf({ 'application/json': response?.schema ?? {} });
  return {
    operationId,
    parameters,
    ...(bodies !== undefined && { requestBody: { content: contentOf(bodies) } }),
    responses: { 200: { description: 'Done.', headers: { 'X-Request-Id': requestId }, content } },
  };
}

/** Its pattern takes exponential time. */
const requestId = { schema: { type: 'string', maxLength: 64, pattern: '^(a+)+$' } };
const paths = Object.entries(operations).map(
  ([id, operation]) => [`/${id}`, { post: describe(id, operation) }] as const,
);
const document = {
  openapi: '3.1.1',
  info: { title: 'Costly', version: '1.0.0' },
  paths: Object.fromEntries(paths),
  components: { schemas },
};
const contract = join(mkdtempSync(join(tmpdir(), 'contract-server-costly-')), 'contract.json');
writeFileSync(contract, JSON.stringify(document));

const handlers = Object.fromEntries(
  Object.entries(operations).map(([id, { response }]) => [
    id,
    () => Promise.resolve({ status: 200, body: response?.body ?? null }),
  ]),
);

let longestMs = 0;
let isMeasuring = false;

/** Iterates the event loop without waiting, so that nothing but its callbacks delays the next iteration. */
function measure(lastAt: number): void {
  const at = performance.now();
  longestMs = Math.max(longestMs, at - lastAt);
  if (isMeasuring) setImmediate(measure, at);
}

const app = express();
app.get('/gap/start', (_request, response) => {
  isMeasuring = true;
  longestMs = 0;
  response.end();
  setImmediate(measure, performance.now());
});
app.get('/gap/stop', (_request, response) => {
  isMeasuring = false;
  response.json(longestMs);
});
app.use(await createRouter<ContractTypes>()({ contract, handlers: handlers as object }));
const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');
console.log((server.address() as AddressInfo).port);
