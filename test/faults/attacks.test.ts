import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { attackSlowly } from '@contract-server/test-support/clients/slow-clients.js';
import { residentMebibytesOf } from '@contract-server/test-support/machine/process-usage.js';
import { expect } from 'chai';
import { attacks, startAttack } from '../support/attacks.js';
import { PetClient } from '../support/clients/pet-client.js';
import { send } from '../support/clients/send.js';
import { type ServerProcess, startWithKey } from '../support/servers/server-process.js';

const attackMs = 5000;
/** A response that takes longer counts as failed. */
const timeoutMs = 10_000;
const localAddress = '127.0.0.2';

describe('a client at another address', function () {
  this.timeout(60_000);
  let server: ServerProcess;
  let token: string;
  before(async () => {
    // The server warns that it closes connections of the attacker.
    ({ server, token } = await startWithKey({ LOG_LEVEL: 'error' }));
    await new PetClient(server.baseUrl, token, 'x'.repeat(250)).createMany(100);
  });
  after(async () => {
    await server.stop();
    expect(server.alarms).to.deep.equal([]);
  });

  for (const { title } of attacks)
    it(`gets every response, also of health checks, during an attack: ${title}`, async () => {
      const kept = new Agent({ keepAlive: true, localAddress });
      startAttack(title, server.port, token);
      const responses: ReturnType<typeof send>[] = [];
      const startedAt = performance.now();
      // At a constant rate, however long responses take. Every eighth request opens a new connection.
      for (let at = 0; at < attackMs; at += 25) {
        await delay(startedAt + at - performance.now());
        const agent = at % 200 === 0 ? new Agent({ localAddress }) : kept;
        responses.push(send(`${server.baseUrl}/pets`, token, { agent }));
        if (at % 100 !== 0) continue;
        responses.push(send(new URL('/healthz', server.baseUrl).href, token, { agent: new Agent({ localAddress }) }));
      }
      const completed = await Promise.all(responses);
      kept.destroy();
      const times = completed.map(({ ms }) => ms).sort((one, other) => one - other);
      const [p50, p99] = [0.5, 0.99].map((share) => times[Math.ceil(times.length * share) - 1]?.toFixed(0));
      console.log(`      ${String(times.length)} requests: p50 ${String(p50)} ms, p99 ${String(p99)} ms`);
      expect(completed.filter(({ status, ms }) => status !== 200 || ms > timeoutMs)).to.deep.equal([]);
    });
});

describe('750 slow clients', () => {
  it('are closed in time with 408, while others are served, with at most 100 MiB of memory', async function () {
    this.timeout(60_000);
    const env = { MAX_CONNECTIONS_PER_ADDRESS: '0', REQUEST_TIMEOUT_SECONDS: '10' };
    const { server, token } = await startWithKey(env);
    const target = { baseUrl: server.baseUrl, path: '/v1/pets', token };
    const memory = [residentMebibytesOf(server.pid)];
    let isOver = false as boolean;
    const attacked = [attackSlowly(target, 500, 'headers'), attackSlowly(target, 250, 'body')];
    const ended = Promise.all(attacked).finally(() => (isOver = true));
    while (!isOver) {
      expect((await send(`${server.baseUrl}/pets`, token)).status).to.equal(200);
      memory.push(residentMebibytesOf(server.pid));
      await delay(50);
    }
    for (const { status, afterMs } of (await ended).flat()) {
      expect(status).to.equal(408);
      expect(afterMs).to.be.within(10_000, 30_000);
    }
    expect(Math.max(...memory)).to.be.below((memory[0] ?? 0) + 100);
    await server.stop();
  });
});
