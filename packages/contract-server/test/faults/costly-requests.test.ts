import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { closeLater } from '@contract-server/test-support/closing.js';
import { watchChild } from '@contract-server/test-support/servers/child-process.js';
import { expect } from 'chai';
import { type CostlyRequest, operations } from './costly-operations.js';

/**
 * How much longer a request may block the event loop than a valid one of 33 kB, which takes 2.5 ms on a machine without
 * other load: at most 15 ms. Quadratic work of the same size takes hundreds of times as long, and exponential work does
 * not end.
 */
const ratioMax = 6;
/** How often each request is measured. The shortest gap counts, because other processes can only make one longer. */
const attempts = 4;

const script = fileURLToPath(new URL('measured-server.js', import.meta.url));

describe('a request that is expensive by its contract', function () {
  this.timeout(60_000);
  let baseUrl: string;
  let plainMs: number;

  const send = async (id: string, { query = '', headers = {}, body }: CostlyRequest) => {
    const url = `${baseUrl}/${id}?${query}`;
    const response = await fetch(url, { method: 'POST', headers, ...(body !== undefined && { body }) });
    await response.arrayBuffer();
    return response.status;
  };
  /** The longest gap of the event loop during a request, in milliseconds, and its status. */
  const measureOnce = async (id: string, request: CostlyRequest) => {
    await fetch(`${baseUrl}/gap/start`);
    const status = await send(id, request);
    const response = await fetch(`${baseUrl}/gap/stop`);
    return { status, gapMs: (await response.json()) as number };
  };
  const measure = async (id: string, request: CostlyRequest) => {
    const results = [];
    // The first one compiles what is compiled on demand.
    for (let attempt = 0; attempt <= attempts; attempt += 1) results.push(await measureOnce(id, request));
    const [{ status } = { status: 0 }] = results;
    return { status, gapMs: Math.min(...results.slice(1).map(({ gapMs }) => gapMs)) };
  };

  before(async () => {
    const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = watchChild(child);
    closeLater(async () => {
      child.kill('SIGKILL');
      await ended;
    });
    const [port] = (await once(createInterface(child.stdout), 'line')) as [string];
    baseUrl = `http://127.0.0.1:${port}`;
    const plain = operations['plain']?.requests[0] ?? {};
    expect(await send('plain', plain)).to.equal(200);
    plainMs = (await measure('plain', plain)).gapMs;
  });

  for (const [id, { requests }] of Object.entries(operations))
    it(`blocks the event loop at most ${String(ratioMax)} times as long as a plain one: ${id}`, async () => {
      const measured = [];
      for (const request of requests) measured.push(await measure(id, request));
      const longestMs = Math.max(...measured.map(({ gapMs }) => gapMs));
      console.log(
        `      longest gap ${longestMs.toFixed(1)} ms, ${(longestMs / plainMs).toFixed(1)} of a plain request`,
      );
      expect(measured.filter(({ status }) => status >= 500)).to.deep.equal([]);
      expect(longestMs / plainMs).to.be.below(ratioMax);
    });
});
