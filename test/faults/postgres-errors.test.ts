import { expect } from 'chai';
import { fetchListedPets } from '../support/clients/listed-pets.js';
import { describePostgres, sharedPostgres } from '../support/postgres/postgres.js';
import { type Fault, PostgresProxy } from '../support/postgres/postgres-proxy.js';
import type { PostgresServer } from '../support/postgres/postgres-server.js';
import { createUnlimitedKey, ServerProcess } from '../support/servers/server-process.js';
import { temporaryDirectory } from '../support/temporary-directory.js';

/** The SQLSTATE classes that do not mean a defect of the service, with a code of each (PostgreSQL 15, Appendix A). */
const rolledBack = { '40000': 'transaction rollback', '40001': 'serialization failure', '40P01': 'deadlock detected' };
const brokenSession = {
  '0A000': 'cached plan must not change result type',
  '25P02': 'in failed transaction',
  '25P04': 'transaction timeout',
  '26000': 'prepared statement does not exist',
  '34000': 'portal does not exist',
  '42P05': 'duplicate prepared statement',
};
const unknownOutcome = {
  '08006': 'connection failure',
  '08007': 'transaction resolution unknown',
  '08P01': 'protocol violation',
  '40003': 'statement completion unknown',
  '57P01': 'admin shutdown',
  '57P05': 'idle session timeout',
};
const unavailable = {
  '2200H': 'sequence generator limit exceeded',
  '25006': 'read-only transaction',
  '28000': 'invalid authorization',
  '3D000': 'invalid catalog name',
  '3F000': 'invalid schema name',
  '42501': 'insufficient privilege',
  '42P01': 'undefined table',
  '53100': 'disk full',
  '54000': 'no more transaction ids',
  '55000': 'not accepting connections',
  '55P03': 'lock not available',
  '57014': 'query canceled',
  '58030': 'I/O error',
  F0000: 'configuration file error',
  XX000: 'internal error',
  XX001: 'data corrupted',
};

describePostgres('A node that gets an error from PostgreSQL', function () {
  this.timeout(30_000);
  let postgres: PostgresServer;
  let proxy: PostgresProxy;
  let url: string;
  let node: ServerProcess;
  let token: string;
  let created = 0;
  before(async () => {
    postgres = await sharedPostgres();
    proxy = await PostgresProxy.before(postgres.port);
    url = await postgres.createDatabase();
    node = await ServerProcess.start({ DATA_DIR: temporaryDirectory(), DATABASE_URL: proxy.urlOf(url) });
    token = await createUnlimitedKey(temporaryDirectory(), url);
  });
  beforeEach(async () => {
    proxy.faultOf = () => undefined;
    expect(await create()).to.deep.equal(201);
  });
  after(async () => {
    await node.stop();
    proxy.close();
  });

  async function get(target: string, { baseUrl } = node): Promise<Response> {
    return fetch(`${baseUrl}/pets${target}`, { headers: { authorization: `Bearer ${token}` } });
  }

  async function post(headers: Readonly<Record<string, string>> = {}, { baseUrl } = node): Promise<Response> {
    created += 1;
    return fetch(`${baseUrl}/pets`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ name: `pet ${String(created)}`, categoryId: 1 }),
    });
  }

  const list = async () => (await get('?limit=1')).status;
  const create = async () => (await post()).status;

  /** Fails statements: every one, or the first of those that a text on the wire is found in. */
  function fail(fault: Fault, only?: string): void {
    let isOver = false;
    proxy.faultOf = (statement) => {
      if (isOver || (only !== undefined && !statement.includes(only))) return undefined;
      isOver = only !== undefined;
      return fault;
    };
  }

  async function names(): Promise<string[]> {
    return (await fetchListedPets(node.baseUrl, token)).map(({ name }) => name);
  }

  describe('in a real session', () => {
    it('serves requests after a pooler has discarded its prepared statements (26000)', async () => {
      expect(await list()).to.equal(200);
      expect(await proxy.runInSessions('DISCARD ALL')).to.be.above(0);
      expect(await Promise.all([list(), create()])).to.deep.equal([200, 201]);
    });

    it('serves requests in a session that has prepared statements of the same names (42P05)', async () => {
      const ownProxy = await PostgresProxy.before(postgres.port);
      const fresh = await ServerProcess.start({ DATA_DIR: temporaryDirectory(), DATABASE_URL: ownProxy.urlOf(url) });
      try {
        // The readiness check opens sessions, and prepares other statements in them.
        expect((await fetch(new URL('/readyz', fresh.baseUrl))).status).to.equal(200);
        await ownProxy.runInSessions('PREPARE find_pet AS SELECT 1; PREPARE insert_pets AS SELECT 1');
        const [found, creation] = await Promise.all([get('/1', fresh), post({}, fresh)]);
        expect([found.status, creation.status]).to.deep.equal([200, 201]);
        expect(fresh.outages).to.deep.equal([]);
      } finally {
        await fresh.stop();
        ownProxy.close();
      }
    });

    it('serves requests after a migration has changed the type of a column (0A000)', async () => {
      const listings = () => Promise.all(Array.from({ length: 20 }, list));
      await listings();
      await postgres.query('ALTER TABLE pets ALTER COLUMN id TYPE integer', url);
      expect(new Set(await listings())).to.deep.equal(new Set([200]));
      expect(await create()).to.equal(201);
      await postgres.query('ALTER TABLE pets ALTER COLUMN id TYPE bigint', url);
      expect(await create()).to.equal(201);
    });
  });

  for (const [code, name] of Object.entries({ ...rolledBack, ...brokenSession })) {
    it(`runs a statement again after ${code} (${name}), because nothing was changed`, async () => {
      const before = await names();
      fail({ code, isExecuted: false }, 'list_pets');
      expect(await list()).to.equal(200);
      fail({ code, isExecuted: false }, 'insert_pets');
      expect(await create()).to.equal(201);
      expect(await names()).to.have.lengthOf(before.length + 1);
    });
  }

  for (const [code, name] of Object.entries(unknownOutcome)) {
    it(`reads again after ${code} (${name}), and returns 503 for a creation that may be committed`, async () => {
      const before = await names();
      fail({ code, isExecuted: false }, 'list_pets');
      expect(await list()).to.equal(200);
      fail({ code, isExecuted: true }, 'insert_pets');
      const statuses = await Promise.all(Array.from({ length: 10 }, create));
      // How many share the transaction that fails depends on when they arrive.
      expect(statuses).to.include(503);
      expect([201, 503]).to.include.members(statuses);
      // Each was sent once to the database, also those that shared a transaction.
      const after = await names();
      expect(after).to.have.lengthOf(before.length + 10);
      expect(new Set(after).size).to.equal(after.length);
    });

    it(`creates one pet for an Idempotency-Key that is sent again after ${code} (${name})`, async () => {
      const before = await names();
      const headers = { 'Idempotency-Key': `after-${code}` };
      fail({ code, isExecuted: true }, 'insert_pets_once');
      expect((await post(headers)).status).to.equal(503);
      created -= 1;
      const again = await post(headers);
      expect([again.status, again.headers.get('idempotent-replayed')]).to.deep.equal([201, 'true']);
      expect(await names()).to.have.lengthOf(before.length + 1);
    });
  }

  for (const [code, name] of Object.entries({ ...rolledBack, ...brokenSession, ...unknownOutcome, ...unavailable })) {
    it(`returns 503 while every statement fails with ${code} (${name}), and recovers`, async () => {
      fail({ code, isExecuted: false });
      const responses = await Promise.all([get('?limit=1'), get('/1'), post(), post({ 'Idempotency-Key': 'one' })]);
      for (const response of responses) {
        expect([response.status, response.headers.get('retry-after')]).to.deep.equal([503, '1']);
        expect(await response.json()).to.include({ code: 'store_unavailable' });
      }
      proxy.faultOf = () => undefined;
      expect(await Promise.all([list(), create()])).to.deep.equal([200, 201]);
    });
  }

  it('returns 500 for an error that is a defect of the service (22012, division by zero)', async () => {
    fail({ code: '22012', isExecuted: false }, 'list_pets');
    expect(await list()).to.equal(500);
  });
});
