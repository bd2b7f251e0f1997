import { expect } from 'chai';
import { Attacker } from '../support/attacks/attacker.js';
import { attacks } from '../support/attacks/attacks.js';
import { WellBehavedClient } from '../support/attacks/well-behaved-client.js';
import { createUnlimitedKey, ServerProcess } from '../support/servers/server-process.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

/**
 * It asserts latencies, so it is a slow test, for a machine without other
 * work.
 */
const attackMs = 1500;
const healthCheckMs = 1000;

describe('a client at another address', () => {
  let server: ServerProcess;
  let client: WellBehavedClient;
  before(async () => {
    const directory = temporaryDirectory();
    server = await ServerProcess.start({ DATA_DIR: directory, LOG_LEVEL: 'warn' });
    client = new WellBehavedClient(new URL(server.baseUrl).origin, await createUnlimitedKey(directory), '127.0.0.2');
  });
  after(async () => {
    client.close();
    expect(await server.stop()).to.deep.equal({ code: 0, signal: null });
    expect(server.alarms).to.deep.equal([]);
  });

  for (const attack of attacks) {
    it(`gets every response, and health checks in time, during an attack: ${attack.title}`, async () => {
      const { hostname: host, port } = new URL(server.baseUrl);
      const attacker = new Attacker(attack, { host, port: Number(port), freeToken: server.firstKey ?? '' });
      const { failed, healthMs } = await client.run(attackMs);
      await attacker.stop();
      expect(failed).to.equal(0);
      expect(healthMs).to.be.below(healthCheckMs);
    });
  }
});
