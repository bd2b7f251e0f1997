import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { RawConnection } from '../../support/clients/raw-connection.js';
import { closeService, startService, type TestService } from '../../support/servers/service.js';

const limit = 2;
const connectionsMax = 6;

describe('connections of one client address', () => {
  let service: TestService;
  let opened: RawConnection[];
  const start = async (env: Readonly<Record<string, string>> = {}) => {
    service = await startService({
      MAX_CONNECTIONS_PER_ADDRESS: String(limit),
      MAX_CONNECTIONS: String(connectionsMax),
      ...env,
    });
  };
  beforeEach(() => {
    opened = [];
  });
  afterEach(async () => {
    for (const connection of opened) connection.end();
    await closeService(service);
  });

  const open = async (localAddress = '127.0.0.1') => {
    const connection = await RawConnection.openTo(service.server.address() as AddressInfo, localAddress);
    opened.push(connection);
    return connection;
  };
  const openMany = (count: number) => Promise.all(Array.from({ length: count }, () => open()));
  const list = (token?: string) =>
    `GET /v1/pets HTTP/1.1\r\nHost: x\r\n${token === undefined ? '' : `Authorization: Bearer ${token}\r\n`}\r\n`;
  /** The status of the response to a request, and whether the connection is kept. */
  const sendRequest = async (connection: RawConnection, request: string) => {
    connection.send(request);
    const { status, headers } = await connection.readResponse();
    return { status, connection: headers['connection'] };
  };
  const kept = { status: 200, connection: 'keep-alive' };
  const closing = { status: 200, connection: 'close' };
  /** Opens as many connections as are kept, and uses each of them. */
  const fill = async () => {
    const connections = await openMany(limit);
    for (const connection of connections)
      expect(await sendRequest(connection, list(service.token))).to.deep.equal(kept);
    return connections;
  };

  it('are kept for further requests within the limit', async () => {
    await start();
    for (const connection of await fill()) {
      for (let count = 0; count < 3; count += 1)
        expect(await sendRequest(connection, list(service.token))).to.deep.equal(kept);
    }
  });

  it('are closed after exactly one response beyond the limit, however many requests were sent on them', async () => {
    await start();
    await fill();
    const beyond = await open();
    expect(await sendRequest(beyond, list(service.token).repeat(3))).to.deep.equal(closing);
    await beyond.whenEnded();
    expect(beyond.rest).to.equal('');
  });

  it('are kept again when others have been closed', async () => {
    await start();
    for (const connection of await fill()) connection.end();
    let last = await sendRequest(await open(), list(service.token));
    while (last.connection === 'close') last = await sendRequest(await open(), list(service.token));
    expect(last).to.deep.equal(kept);
  });

  it('are served beyond the limit also while many others are silent', async () => {
    await start({ MAX_CONNECTIONS: '1000' });
    await openMany(300);
    expect(await sendRequest(await open(), list(service.token))).to.deep.equal(closing);
  });

  it('do not count for another address', async () => {
    await start();
    await fill();
    expect(await sendRequest(await open('127.0.0.2'), list(service.token))).to.deep.equal(kept);
  });

  it('are closed for another address when the maximum number of connections is reached', async () => {
    await start();
    await openMany(connectionsMax);
    const [one, another] = [await open('127.0.0.2'), await open('127.0.0.2')];
    for (const connection of [one, another])
      expect(await sendRequest(connection, list(service.token))).to.deep.equal(kept);
    await (await open()).whenEnded();
  });

  it('are not limited for a trusted proxy', async () => {
    await start({ TRUST_PROXY: '127.0.0.1' });
    for (const connection of await openMany(connectionsMax)) {
      expect(await sendRequest(connection, list(service.token))).to.deep.equal(kept);
    }
  });

  it('are closed after a 429 response to a request without a valid key', async () => {
    await start();
    const [connection] = await openMany(1);
    let response = await sendRequest(connection as RawConnection, list());
    while (response.status === 401) response = await sendRequest(connection as RawConnection, list());
    expect(response).to.deep.equal({ status: 429, connection: 'close' });
    await connection?.whenEnded();
    expect(await sendRequest(await open(), list('pets_live_unknown'))).to.deep.equal({
      status: 429,
      connection: 'close',
    });
  });

  it('are kept after a 429 response to a request with a valid key', async () => {
    await start();
    const limits = { requestsPerMinute: 1, requestsPerDay: 1 };
    const { token } = await service.apiKeyService.create({
      name: 'spent',
      plan: 'enterprise',
      limits,
      expiresAt: undefined,
    });
    const connection = await open();
    expect(await sendRequest(connection, list(token))).to.deep.equal(kept);
    expect(await sendRequest(connection, list(token))).to.deep.equal({ status: 429, connection: 'keep-alive' });
  });

  it('are kept after a 429 response to a client behind a trusted proxy', async () => {
    await start({ TRUST_PROXY: '127.0.0.1' });
    const connection = await open();
    const request = list().replace('\r\n\r\n', '\r\nX-Forwarded-For: 192.0.2.1\r\n\r\n');
    let response = await sendRequest(connection, request);
    while (response.status === 401) response = await sendRequest(connection, request);
    expect(response).to.deep.equal({ status: 429, connection: 'keep-alive' });
  });
});
