import { expect } from 'chai';
import { Attacker } from '../support/attacks/attacker.js';
import { attacks } from '../support/attacks/attacks.js';
import { timeoutMs, WellBehavedClient } from '../support/attacks/well-behaved-client.js';
import { createUnlimitedKey, ServerProcess } from '../support/servers/server-process.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

const attackMs = 5000;

describe('a client at another address', function () {
  this.timeout(60_000);
  let server: ServerProcess;
  let client: WellBehavedClient;
  let token: string;
  before(async () => {
    const directory = temporaryDirectory();
    // The server warns that it closes connections of the attacker.
    server = await ServerProcess.start({ DATA_DIR: directory, LOG_LEVEL: 'error' });
    token = await createUnlimitedKey(directory);
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    for (let created = 0; created < 100; created += 1) {
      const body = JSON.stringify({ name: 'x'.repeat(255), categoryId: created });
      await fetch(`${server.baseUrl}/pets`, { method: 'POST', headers, body });
    }
    client = new WellBehavedClient(new URL(server.baseUrl).origin, token, '127.0.0.2');
  });
  after(async () => {
    client.close();
    expect(await server.stop()).to.deep.equal({ code: 0, signal: null });
    expect(server.alarms).to.deep.equal([]);
  });

  for (const attack of attacks) {
    it(`gets every response, also of health checks, during an attack: ${attack.title}`, async () => {
      const { hostname: host, port } = new URL(server.baseUrl);
      const attacker = new Attacker(attack, { host, port: Number(port), token });
      const { requests, failed, p50Ms, p99Ms, healthMs } = await client.run(attackMs);
      await attacker.stop();
      const figures = [p50Ms, p99Ms, healthMs].map((ms) => `${ms.toFixed(0)} ms`).join(', ');
      console.log(`      ${String(requests)} requests: p50, p99 and slowest health check ${figures}`);
      expect(failed).to.equal(0);
      expect(healthMs).to.be.below(timeoutMs);
    });
  }
});
