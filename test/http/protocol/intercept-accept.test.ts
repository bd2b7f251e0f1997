import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { expect } from 'chai';
import type { AcceptedConnection } from '#src/http/protocol/intercept-accept.js';
import { interceptAccept } from '#src/http/protocol/intercept-accept.js';

/** Fails if a Node version handles accepted connections differently. */
describe('interceptAccept', () => {
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

  it('passes the address of a connection, which has no socket before it is opened', async () => {
    const socket = client();
    const { address, connection } = await accepted;
    expect([address, socketCount]).to.deep.equal(['127.0.0.1', 0]);
    connection.open();
    const [bytes] = (await once(socket, 'data')) as [Buffer];
    expect([bytes.toString(), socketCount]).to.deep.equal(['hello', 1]);
    socket.destroy();
  });

  it('closes a rejected connection without a socket, and emits drop', async () => {
    const socket = client();
    socket.resume();
    const { connection } = await accepted;
    const dropped = once(server, 'drop');
    connection.reject();
    await once(socket, 'close');
    expect(await dropped).to.deep.equal([{ remoteAddress: '127.0.0.1' }]);
    expect(socketCount).to.equal(0);
  });
});
