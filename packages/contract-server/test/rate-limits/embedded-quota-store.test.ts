import { join } from 'node:path';
import type { Quota } from '@contract-server/core/contract/document.js';
import {
  allowedCountOf,
  free,
  mostWithoutBan,
  reasonsOf,
  repeat,
  rule,
  start,
} from '@contract-server/test-support/rate-limits/quota.js';
import { openTestDatabase } from '@contract-server/test-support/sqlite/database.js';
import { temporaryDirectory } from '@contract-server/test-support/temporary-directory.js';
import { expect } from 'chai';
import { BetterSqlite3 } from '#src/database/sqlite/better-sqlite3.js';
import type { SqliteDatabase } from '#src/database/sqlite/database.js';
import { dayMs, minuteMs } from '#src/rate-limits/decide.js';
import { EmbeddedQuotaStore } from '#src/rate-limits/embedded-quota-store.js';
import { MemoryQuotaStore } from '#src/rate-limits/memory-quota-store.js';
import { describeQuotaStore } from './quota-store.contract.js';

const quota: Quota = { id: 'a', limits: { requestsPerMinute: 100, requestsPerDay: 5 } };

describeQuotaStore('memory', (at) => Promise.resolve(new MemoryQuotaStore(rule, () => at.now)));
describeQuotaStore('SQLite', async (at) => EmbeddedQuotaStore.open(rule, () => at.now, await openTestDatabase()));

describe('quotas in SQLite', () => {
  const at = { now: start };
  let directory: string;
  let db: SqliteDatabase;
  let store: EmbeddedQuotaStore;
  beforeEach(async () => {
    at.now = start;
    directory = temporaryDirectory();
    db = await openTestDatabase(directory);
    store = await open();
  });

  /** What a process sees that starts on the database. */
  const open = () => EmbeddedQuotaStore.open(rule, () => at.now, db);
  const send = (count: number, client = quota) => Promise.all(repeat(count, () => store.consume(client)));
  const savedIds = () => db.prepare('SELECT quota_id FROM rate_limit_windows ORDER BY quota_id').pluck().all();

  it('lose only what was counted after the last save when the process is killed, and keep a ban', async () => {
    await send(2);
    await send(mostWithoutBan(free) + 1, { id: 'banned', limits: free });
    await store.maintain();
    await send(1);
    store = await open();
    expect((await store.peek(quota)).day?.remaining).to.equal(3);
    expect(reasonsOf(await send(1, { id: 'banned', limits: free }))).to.deep.equal(['ban']);
  });

  it('fail no request while the database is locked, and are saved, or reset, afterwards', async () => {
    await (await open()).reset(quota.id);
    const beside = new BetterSqlite3(join(directory, 'toys.db'));
    beside.exec('BEGIN IMMEDIATE');
    await send(2);
    const before = await store.peek(quota);
    const error: unknown = await store.maintain().catch((reason: unknown) => reason);
    expect(error).to.include({ code: 'store_unavailable' });
    expect(await store.peek(quota)).to.deep.equal(before);
    expect(allowedCountOf(await send(1))).to.equal(1);
    beside.close();
    await store.maintain();
    expect((await (await open()).peek(quota)).day?.remaining).to.equal(2);
  });

  it('are reset by another process: at once for its readers, and in the server with its next save', async () => {
    const client: Quota = { id: 'banned', limits: free };
    await send(mostWithoutBan(free) + 1, client);
    await store.maintain();
    await (await open()).reset(client.id);
    expect((await (await open()).peek(client)).bannedUntil).to.equal(undefined);
    expect(reasonsOf(await send(1, client))).to.deep.equal(['ban']);
    await store.maintain();
    expect(allowedCountOf(await send(free.requestsPerMinute + 1, client))).to.equal(free.requestsPerMinute);
    await store.maintain();
    expect(allowedCountOf(await send(1, client)), 'applied once').to.equal(0);
  });

  it('are deleted once they no longer affect a decision', async () => {
    await send(1);
    await store.maintain();
    at.now += dayMs - minuteMs;
    await send(1, { ...quota, id: 'b' });
    await store.maintain();
    expect(savedIds()).to.deep.equal(['a', 'b']);
    at.now += 10 * minuteMs;
    await store.maintain();
    expect(savedIds()).to.deep.equal(['b']);
  });
});
