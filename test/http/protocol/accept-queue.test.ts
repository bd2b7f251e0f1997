import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect } from 'chai';
import { emptyAcceptQueue } from '#src/http/protocol/accept-queue.js';
import { interceptAccept } from '#src/http/protocol/intercept-accept.js';

/** Fails if a Node version accepts connections differently. */
describe('emptyAcceptQueue', () => {
  let server: Server;
  beforeEach(() => {
    server = createServer();
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const listen = () => once(server.listen(0, '127.0.0.1'), 'listening');
  const open = () => connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);

  for (const isAccepted of [true, false]) {
    it(`waits until every connection in the accept queue is ${isAccepted ? 'accepted' : 'rejected'}`, async () => {
      const clientCount = 200;
      let count = 0;
      interceptAccept(server, (_address, connection) => {
        count += 1;
        // Accepting takes longer than the minimum time of emptying the queue.
        const until = performance.now() + 1;
        while (performance.now() < until);
        if (isAccepted) connection.open();
        else connection.reject();
      });
      await listen();
      const sockets = Array.from({ length: clientCount }, open);
      await emptyAcceptQueue(server);
      expect(count).to.equal(clientCount);
      for (const socket of sockets) socket.destroy();
    });
  }
});
