import { statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import { addressesMax, MemoryLimitStore } from '#src/storage/memory/limit-store.js';
import { readMigrations } from '#src/storage/migrations.js';
import { openDatabase } from '#src/storage/sqlite/connection.js';
import { SqliteLimitJournal } from '#src/storage/sqlite/limit-journal.js';
import { rules, start } from '../support/budget.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { describeLimitStore } from './limit-store.contract.js';

const migrations = await readMigrations('sqlite', 'limits');

function openLimits(directory: string): Database.Database {
  return openDatabase({ directory, fileName: 'limits.db', migrations, synchronous: 'NORMAL', lockTimeoutMs: 0 });
}

function open(at: { now: number }, directory = temporaryDirectory()) {
  const reported: unknown[] = [];
  let db = openLimits(directory);
  // Another connection, as the command line has it beside the server.
  const operator = openLimits(directory);
  const createStore = () =>
    new MemoryLimitStore(
      rules,
      () => at.now,
      new SqliteLimitJournal(db),
      (error) => void reported.push(error),
    );
  const fixture = {
    store: createStore(),
    ledger: new SqliteLimitJournal(operator),
    reported,
    directory,
    restart: () => {
      db.close();
      db = openLimits(directory);
      fixture.store = createStore();
    },
    follow: () => fixture.store.followOperator(),
    close: async () => {
      await fixture.store.close();
      db.close();
      operator.close();
      expect(reported).to.deep.equal([]);
    },
  };
  return fixture;
}

describeLimitStore('memory and SQLite', (at) => Promise.resolve(open(at)));

describe('counters in memory and SQLite', () => {
  const subject = { kind: 'budget', id: 'a', limits: { requestsPerMinute: 5, requestsPerDay: 50 } } as const;

  it('are in the file before the answer leaves, those of one turn in one transaction', async () => {
    const fixture = open({ now: start });
    const other = new Database(join(fixture.directory, 'limits.db'), { readonly: true });
    const log = join(fixture.directory, 'limits.db-wal');
    const before = statSync(log).size;
    await Promise.all(
      Array.from({ length: 100 }, (_, index) => fixture.store.admit({ ...subject, id: `b${String(index % 10)}` })),
    );
    expect(other.prepare('SELECT sum(minute_used), sum(minute_refused) FROM counters').raw().get()).to.deep.equal([50, 50]);
    // Each transaction appends the pages that it changed: a hundred of them would append a hundred.
    expect((statSync(log).size - before) / 4096).to.be.lessThan(3);
    other.close();
    await fixture.close();
  });

  it('forget budgets that are not used any more, in memory and in the file', async () => {
    const at = { now: start };
    const fixture = open(at);
    await fixture.store.admit(subject);
    at.now += 1000;
    fixture.store.sweep();
    expect(await fixture.ledger.usage()).to.have.all.keys('a');
    at.now += 49 * 60 * 60 * 1000;
    fixture.store.sweep();
    expect(await fixture.ledger.usage()).to.have.property('size', 0);
    await fixture.close();
  });

  it('remember an address for its whole minute, also when others come and go', async () => {
    const at = { now: start };
    const fixture = open(at);
    const admit = (id: string) => fixture.store.admit({ kind: 'address', id, limits: { requestsPerMinute: 1 } });
    await admit('192.0.2.1');
    at.now += 30_000;
    await admit('192.0.2.2');
    at.now += 29_999;
    expect((await admit('192.0.2.1')).refusedBy).to.equal('minute');
    at.now += 1;
    expect((await admit('192.0.2.1')).refusedBy).to.equal(undefined);
    expect((await admit('192.0.2.2')).refusedBy, 'started before the turn').to.equal('minute');
    await fixture.close();
  });

  it('remember a bounded number of addresses under a flood, and only those of the last minute', async () => {
    const at = { now: start };
    const fixture = open(at);
    const admit = (index: number) =>
      fixture.store.admit({ kind: 'address', id: `2001:db8:${index.toString(16)}::`, limits: { requestsPerMinute: 1 } });
    for (let index = 0; index < addressesMax + 1000; index += 1) await admit(index);
    expect(fixture.store.addressCount).to.be.within(addressesMax / 2, addressesMax);
    expect((await admit(addressesMax + 999)).refusedBy).to.equal('minute');
    for (const index of [0, 1]) {
      at.now += 60_000;
      await admit(index);
    }
    expect(fixture.store.addressCount).to.equal(2);
    await fixture.close();
  });

  it('go on in memory while the file is locked, and say so to the operator', async () => {
    const fixture = open({ now: start });
    const locker = new Database(join(fixture.directory, 'limits.db'));
    locker.exec('BEGIN IMMEDIATE');
    const admissions = await Promise.all(Array.from({ length: 9 }, () => fixture.store.admit(subject)));
    expect(admissions.filter(({ refusedBy }) => refusedBy === undefined)).to.have.length(5);
    expect(fixture.reported).to.have.length(1);
    locker.exec('ROLLBACK');
    locker.close();
    fixture.reported.length = 0;
    await fixture.close();
  });
});
