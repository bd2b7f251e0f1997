import { existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'chai';
import type { StoreEvent } from '#src/openapi/api-error.js';
import { addressesMax, MemoryRateLimitStore } from '#src/rate-limits/memory/memory-store.js';
import { SqliteRateLimitJournal } from '#src/rate-limits/sqlite/journal.js';
import { rules, start } from '../../support/rate-limits/quota.js';
import { openTestLimits } from '../../support/sqlite/database.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { describeLimitStore } from '../rate-limit-store.contract.js';

function open(at: { now: number }, directory = temporaryDirectory()) {
  const reported: unknown[] = [];
  const report = (event: unknown) => void reported.push(event);
  let db = openTestLimits(directory, report);
  // Another connection, like that of a command.
  const operator = openTestLimits(directory);
  const createStore = () => new MemoryRateLimitStore(rules, () => at.now, report, new SqliteRateLimitJournal(db));
  const fixture = {
    store: createStore(),
    administration: new SqliteRateLimitJournal(operator),
    reported,
    directory,
    restart: () => {
      db.close();
      db = openTestLimits(directory, report);
      fixture.store = createStore();
    },
    follow: () => fixture.store.applyUnbans(),
    check: () => db.check(),
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
  const client = { kind: 'quota', id: 'a', limits: { requestsPerMinute: 5, requestsPerDay: 50 } } as const;

  it('are in the file before consume resolves, those of one tick in one transaction', async () => {
    const fixture = open({ now: start });
    const other = new Database(join(fixture.directory, 'limits.db'), { readonly: true });
    const log = join(fixture.directory, 'limits.db-wal');
    const before = statSync(log).size;
    await Promise.all(
      Array.from({ length: 100 }, (_, index) => fixture.store.consume({ ...client, id: `b${String(index % 10)}` })),
    );
    expect(other.prepare('SELECT sum(minute_used), sum(minute_rejected) FROM counters').raw().get()).to.deep.equal([
      50, 50,
    ]);
    // Each transaction appends its changed pages: a hundred transactions would append a hundred.
    expect((statSync(log).size - before) / 4096).to.be.lessThan(3);
    other.close();
    await fixture.close();
  });

  it('delete unused quotas in memory and in the file', async () => {
    const at = { now: start };
    const fixture = open(at);
    await fixture.store.consume(client);
    at.now += 1000;
    await fixture.store.sweep();
    expect(await fixture.administration.usage(['a', 'b'])).to.have.all.keys('a');
    at.now += 49 * 60 * 60 * 1000;
    await fixture.store.sweep();
    expect(await fixture.administration.usage(['a', 'b'])).to.have.property('size', 0);
    await fixture.close();
  });

  it('keep a quota that is used again while its deletion waits', async () => {
    const at = { now: start };
    const fixture = open(at);
    await fixture.store.consume(client);
    at.now += 49 * 60 * 60 * 1000;
    const locker = new Database(join(fixture.directory, 'limits.db'));
    locker.exec('BEGIN IMMEDIATE');
    const sweeping = fixture.store.sweep();
    const admitting = fixture.store.consume(client);
    locker.exec('ROLLBACK');
    locker.close();
    await Promise.all([sweeping, admitting]);
    fixture.restart();
    expect((await fixture.store.consume(client)).reportedWindow.remaining).to.equal(3);
    await fixture.close();
  });

  it('keep an address for its whole minute', async () => {
    const at = { now: start };
    const fixture = open(at);
    const admit = (id: string) => fixture.store.consume({ kind: 'address', id, limits: { requestsPerMinute: 1 } });
    await admit('192.0.2.1');
    at.now += 30_000;
    await admit('192.0.2.2');
    at.now += 29_999;
    expect((await admit('192.0.2.1')).rejectedBy).to.equal('minute');
    at.now += 1;
    expect((await admit('192.0.2.1')).rejectedBy).to.equal(undefined);
    expect((await admit('192.0.2.2')).rejectedBy, 'started before the turn').to.equal('minute');
    await fixture.close();
  });

  it('keep a limited number of addresses, only those of the last minute', async () => {
    const at = { now: start };
    const fixture = open(at);
    const admit = (index: number) =>
      fixture.store.consume({
        kind: 'address',
        id: `2001:db8:${index.toString(16)}::`,
        limits: { requestsPerMinute: 1 },
      });
    for (let index = 0; index < addressesMax + 1000; index += 1) await admit(index);
    expect(fixture.store.addressCount).to.be.within(addressesMax / 2, addressesMax);
    expect((await admit(addressesMax + 999)).rejectedBy).to.equal('minute');
    for (const index of [0, 1]) {
      at.now += 60_000;
      await admit(index);
    }
    expect(fixture.store.addressCount).to.equal(2);
    await fixture.close();
  });

  describe('while the file cannot be written', () => {
    let fixture: ReturnType<typeof open>;
    let file: string;
    beforeEach(() => {
      fixture = open({ now: start });
      file = join(fixture.directory, 'limits.db');
    });
    afterEach(() => {
      fixture.reported.length = 0;
      return fixture.close();
    });
    const admit = (id: string) => fixture.store.consume({ ...client, id });
    /** The task that a server runs every second. */
    const check = async () => {
      fixture.check();
      await fixture.store.syncJournal();
    };
    const messages = () => fixture.reported.map((reported) => (reported as StoreEvent).message.replace(/^.*?: /, ''));

    it('count exactly in memory without waiting for the file repeatedly, and report it once', async () => {
      const locker = new Database(file);
      locker.exec('BEGIN IMMEDIATE');
      const startedAt = performance.now();
      let allowed = 0;
      for (let round = 0; round < 40; round += 1) {
        const decisions = await Promise.all(Array.from({ length: 9 }, () => admit(`b${String(round % 8)}`)));
        allowed += decisions.filter(({ rejectedBy }) => rejectedBy === undefined).length;
        await check();
      }
      expect(allowed).to.equal(8 * 5);
      expect(performance.now() - startedAt).to.be.below(2000);
      expect(messages()).to.deep.equal(['database is locked (SQLITE_BUSY).']);
      locker.exec('ROLLBACK');
      locker.close();
    });

    it('are written when the file is writable again, also those of unused quotas', async () => {
      const locker = new Database(file);
      locker.exec('BEGIN IMMEDIATE');
      for (const id of ['a', 'b', 'a']) await admit(id);
      locker.exec('ROLLBACK');
      locker.close();
      for (let second = 0; second < 3; second += 1) await check();
      const usage = await fixture.administration.usage(['a', 'b']);
      expect([...usage].map(([id, { minuteUsed }]) => [id, minuteUsed])).to.have.deep.members([
        ['a', 2],
        ['b', 1],
      ]);
      expect(fixture.reported).to.have.length(2);
      expect((fixture.reported[1] as StoreEvent).kind).to.equal('storage recovered');
    });

    it('count in memory after the file was deleted, and report it once', async () => {
      await admit('a');
      for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`);
      for (let second = 0; second < 3; second += 1) await check();
      expect((await admit('a')).reportedWindow.remaining).to.equal(3);
      await check();
      expect(existsSync(file)).to.equal(false);
      expect(messages()).to.deep.equal([
        'it was moved, deleted or replaced; stop the server, put it back or restore a backup, and start the server.',
      ]);
    });
  });
});
