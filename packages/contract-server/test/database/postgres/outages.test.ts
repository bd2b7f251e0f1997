import { describePostgres, openTestPostgres, sharedPostgres } from '@contract-server/test-support/postgres/postgres.js';
import { TcpProxy } from '@contract-server/test-support/servers/tcp-proxy.js';
import { expectUnavailable, promisedMs } from '@contract-server/test-support/unavailable.js';
import { expect } from 'chai';
import { PostgresKeyStore } from '#src/api-keys/postgres-key-store.js';

describePostgres('PostgreSQL', () => {
  it('serves requests again within 5 s after all connections have stopped responding', async () => {
    const server = await sharedPostgres();
    const cutter = await TcpProxy.before(server.port);
    const url = new URL(await server.createDatabase());
    url.port = String(cutter.port);
    const keys = new PostgresKeyStore(await openTestPostgres(url.href));
    await Promise.all(Array.from({ length: 10 }, () => keys.list()));
    cutter.silence();
    const silentSince = performance.now();
    await expectUnavailable(keys.list(), /timeout/);
    // Sent one after the other, each request would use another unresponsive connection.
    expect(await keys.list()).to.deep.equal([]);
    expect(performance.now() - silentSince).to.be.below(promisedMs);
  });
});
