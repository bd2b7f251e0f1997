import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { RawConnection } from '../support/clients/raw-connection.js';
import { issueKey } from '../support/issue-key.js';
import { startService, type TestService } from '../support/servers/service.js';
import { get, message } from './raw-requests.js';

const limit = 2;
const kept = '200 keep-alive';
const withoutKey = (...lines: readonly string[]) => message(['GET /v1/pets HTTP/1.1', 'Host: x', ...lines]);

describe('the connections of one client address', () => {
  let service: TestService;
  let opened: RawConnection[];
  const start = async (env: Readonly<Record<string, string>> = {}) => {
    opened = [];
    service = await startService({ MAX_CONNECTIONS_PER_ADDRESS: String(limit), ...env });
  };

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
    while (all.length < count) all.push(await sendRequest(await open(localAddress), get(service)));
    return all;
  };

  it('are closed beyond the limit, not those of other addresses, and the first time, a warning is logged', async () => {
    await start();
    expect(await results(4)).to.deep.equal([kept, kept, undefined, undefined]);
    expect(await results(1, '127.0.0.2')).to.deep.equal([kept]);
    expect(await sendRequest(opened[0] as RawConnection, get(service))).to.equal(kept);
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

  /** The result of the first request that is rejected by a rate limit. */
  const rejection = async (request: string) => {
    const connection = await open();
    let result = await sendRequest(connection, request);
    while (result === '401 keep-alive' || result === kept) result = await sendRequest(connection, request);
    return result;
  };

  it('are closed after a 429 to a request without a valid key, unless a trusted proxy has sent it', async () => {
    await start();
    expect(await rejection(withoutKey())).to.equal('429 close');
    expect(await rejection(get(await issueKey(service, [1, 1])))).to.equal('429 keep-alive');
    await start({ TRUST_PROXY: '127.0.0.1' });
    expect(await rejection(withoutKey('X-Forwarded-For: 192.0.2.1'))).to.equal('429 keep-alive');
  });
});
