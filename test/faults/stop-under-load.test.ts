import { Agent } from 'node:http';
import { expect } from 'chai';
import { send } from '../support/clients/send.js';
import { startWithKey } from '../support/servers/server-process.js';

const rounds = 3;
const clientCount = 16;
/** How many responses are received in a round before the signal. */
const responsesBefore = 2000;

describe('a service that is stopped under load', () => {
  it(`responds to each request of ${String(clientCount)} kept connections until it closes them, in ${String(rounds)} rounds`, async function () {
    this.timeout(rounds * 20_000);
    for (let round = 1; round <= rounds; round += 1) {
      const { server, token } = await startWithKey();
      const url = `${server.baseUrl}/pets?limit=1`;
      const lost: unknown[] = [];
      let responses = 0;
      /** Resolves with whether the server accepted a connection, when it has closed that. */
      const useConnection = async () => {
        const agent = new Agent({ keepAlive: true, maxSockets: 1 });
        for (let isKept = false; ; isKept = true) {
          const response = await send(url, token, { agent }).catch((error: unknown) => {
            // A connection can be refused, or closed while it waits to be accepted, without a request that was read.
            if (isKept) lost.push(error);
          });
          if (response === undefined) return isKept;
          expect(response.status).to.equal(200);
          responses += 1;
          if (responses === responsesBefore) server.kill('SIGTERM');
          if (response.headers.connection === 'close') return true;
        }
      };
      const use = async () => {
        while (await useConnection());
      };
      await Promise.all(Array.from({ length: clientCount }, use));
      expect(await server.ended).to.deep.equal({ code: 0, signal: null });
      expect(lost).to.deep.equal([]);
      expect(responses).to.be.above(responsesBefore);
    }
  });
});
