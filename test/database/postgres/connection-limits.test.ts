import { expect } from 'chai';
import { PostgresKeyStore } from '#src/api-keys/postgres-key-store.js';
import { PostgresPetStore } from '#src/pets/postgres/pet-store.js';
import { creationRequest, rex } from '../../support/pets.js';
import { describePostgres, openTestPostgres, sharedPostgres } from '../../support/postgres/postgres.js';
import { PostgresProxy } from '../../support/postgres/postgres-proxy.js';
import { expectUnavailable } from '../../support/unavailable.js';

describePostgres('A pooler with a limit of connections', () => {
  let proxy: PostgresProxy;
  let url: string;
  beforeEach(async () => {
    const server = await sharedPostgres();
    proxy = await PostgresProxy.before(server.port);
    url = proxy.urlOf(await server.createDatabase());
  });
  afterEach(() => proxy.close());

  it('delays requests until a connection that is open becomes free', async () => {
    proxy.sessionsMax = 2;
    const db = await openTestPostgres(url);
    const pets = new PostgresPetStore(db);
    await pets.find(1);
    const calls = Array.from({ length: 20 }, (_, index) =>
      index % 2 === 0 ? pets.insert(rex) : pets.findReplay({ ...creationRequest, key: String(index) }),
    );
    const results = await Promise.allSettled(calls);
    await pets.close();
    await db.close();
    expect(results.filter(({ status }) => status === 'rejected')).to.deep.equal([]);
  });

  it('delays a start until a connection is free', async () => {
    proxy.sessionsMax = 0;
    proxy.onRejection = () => (proxy.sessionsMax = Infinity);
    const db = await openTestPostgres(url);
    expect(await new PostgresKeyStore(db).list()).to.deep.equal([]);
    await db.close();
  });

  it('makes the store unavailable if no connection is open', async () => {
    const db = await openTestPostgres(url);
    proxy.sessionsMax = 0;
    await expectUnavailable(new PostgresKeyStore(db).list(), /08P01/);
    await db.close();
  });
});
