import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { expect } from 'chai';
import type { AcceptedConnection } from '#src/http/protocol/fair-scheduler.js';
import { interceptAccept } from '#src/http/protocol/intercept-accept.js';

/** This fails on a release of Node that keeps accepted connections otherwise. */
describe('an accepted connection', () => {
  let server: Server;
  let accepted: Promise<{ address: string | undefined; connection: AcceptedConnection }>;
  let socketCount: number;
  beforeEach(async () => {
    socketCount = 0;
    server = createServer((socket) => {
      socketCount += 1;
      socket.end('hello');
    });
    accepted = new Promise((resolve) =>
      interceptAccept(server, (address, connection) => resolve({ address, connection })),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => server.close());

  const client = () => connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);

  it('has an address, and no socket before it is opened', async () => {
    const socket = client();
    const { address, connection } = await accepted;
    expect([address, socketCount]).to.deep.equal(['127.0.0.1', 0]);
    connection.open();
    const [bytes] = (await once(socket, 'data')) as [Buffer];
    expect([bytes.toString(), socketCount]).to.deep.equal(['hello', 1]);
    socket.destroy();
  });

  it('is closed without a socket when it is refused', async () => {
    const socket = client();
    socket.resume();
    const { connection } = await accepted;
    connection.reject();
    await once(socket, 'close');
    expect(socketCount).to.equal(0);
  });
});
