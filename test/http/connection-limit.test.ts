import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { RawConnection } from '../support/clients/raw-connection.js';
import { startService, type TestService } from '../support/servers/service.js';

const limit = 2;

describe('the connections of one client address', () => {
  let service: TestService;
  let opened: RawConnection[];
  const start = async (env: Readonly<Record<string, string>> = {}) => {
    opened = [];
    service = await startService({ MAX_CONNECTIONS_PER_ADDRESS: String(limit), ...env });
  };

  const list = (lines = '') => `GET /v1/pets HTTP/1.1\r\nHost: x\r\n${lines}\r\n`;
  const withKey = (token = service.token) => list(`Authorization: Bearer ${token}\r\n`);
  const open = async (localAddress = '127.0.0.1') => {
    const connection = await RawConnection.openTo(service.server.address() as AddressInfo, localAddress);
    opened.push(connection);
    return connection;
  };
  /** The status of the response to a request, and whether the connection is kept; `undefined` without a response. */
  const sendRequest = async (connection: RawConnection, request: string) => {
    connection.send(request);
    const response = await connection.readResponse().catch(() => undefined);
    return response && `${String(response.status)} ${response.headers['connection'] ?? ''}`;
  };
  /** The results of requests on as many new connections. */
  const results = async (count: number, localAddress?: string) => {
    const all = [];
    for (let index = 0; index < count; index += 1) all.push(await sendRequest(await open(localAddress), withKey()));
    return all;
  };
  const kept = '200 keep-alive';

  it('are closed beyond the limit, not those of other addresses, and the first time, a warning is logged', async () => {
    await start();
    expect(await results(4)).to.deep.equal([kept, kept, undefined, undefined]);
    expect(await results(1, '127.0.0.2')).to.deep.equal([kept]);
    expect(await sendRequest(opened[0] as RawConnection, withKey())).to.equal(kept);
    expect(service.log.lines.filter(({ level }) => level === 'warn')).to.have.lengthOf(1);
    expect(JSON.stringify(service.log.lines)).to.match(/MAX_CONNECTIONS_PER_ADDRESS.*TRUST_PROXY/);
  });

  it('can be opened again when others have been closed', async () => {
    await start();
    await results(limit);
    opened[0]?.end();
    let result: string | undefined;
    while (result === undefined) [result] = await results(1);
    expect(result).to.equal(kept);
  });

  for (const env of [{ MAX_CONNECTIONS_PER_ADDRESS: '0' }, { TRUST_PROXY: '127.0.0.1' }]) {
    it(`are not limited with ${JSON.stringify(env)}`, async () => {
      await start(env);
      expect(await results(5)).to.deep.equal([kept, kept, kept, kept, kept]);
    });
  }

  const spent = async (request: string) => {
    const connection = await open();
    let result = await sendRequest(connection, request);
    while (result === '401 keep-alive' || result === kept) result = await sendRequest(connection, request);
    return result;
  };

  it('are closed after a 429 to a request without a valid key, unless a trusted proxy has sent it', async () => {
    await start();
    expect(await spent(list())).to.equal('429 close');
    await service.close();
    await start({ TRUST_PROXY: '127.0.0.1' });
    expect(await spent(list('X-Forwarded-For: 192.0.2.1\r\n'))).to.equal('429 keep-alive');
  });

  it('are kept after a 429 to a request with a valid key', async () => {
    await start();
    const limits = { requestsPerMinute: 1, requestsPerDay: 1 };
    const { token } = await service.apiKeyService.create({
      name: 'a',
      plan: 'enterprise',
      limits,
      expiresAt: undefined,
    });
    expect(await spent(withKey(token))).to.equal('429 keep-alive');
  });
});
