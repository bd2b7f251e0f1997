import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { randomText } from '#src/api-keys/token.js';
import { fileNames } from '#src/database/data-files.js';
import type { StoreEvent } from '#src/lib/errors.js';
import { StartError } from '#src/lib/errors.js';
import { newQuotaState, type QuotaState } from '#src/rate-limits/decide.js';
import { CounterFile } from '#src/rate-limits/file/counter-file.js';
import { lineBytes } from '#src/rate-limits/file/counter-lines.js';
import { FileUsageAdministration } from '#src/rate-limits/file/usage-administration.js';
import { MemoryRateLimitStore } from '#src/rate-limits/memory/memory-store.js';
import { fillDisk, freeDisk, mountSmallDisk, unmount } from '../../support/mounts.js';
import { rules, start } from '../../support/rate-limits/quota.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { describeLimitStore } from '../rate-limit-store.contract.js';

function open(at: { now: number }, directory = temporaryDirectory()) {
  const reported: unknown[] = [];
  const report = (event: unknown) => void reported.push(event);
  const now = () => at.now;
  let counters = new CounterFile(directory, now, report);
  const fixture = {
    store: new MemoryRateLimitStore(rules, now, report, counters),
    administration: new FileUsageAdministration(directory),
    reported,
    directory,
    file: join(directory, fileNames.counters),
    restart: async () => {
      await counters.close();
      counters = new CounterFile(directory, now, report);
      fixture.store = new MemoryRateLimitStore(rules, now, report, counters);
    },
    follow: () => {
      fixture.store.applyUnbans();
      return Promise.resolve();
    },
    /** The tasks that a server runs every second. */
    check: async () => {
      counters.check();
      await fixture.store.syncFile();
    },
    messages: () => reported.map((event) => (event as StoreEvent).message),
    close: async () => {
      await fixture.store.close();
      await counters.close();
      expect(reported).to.deep.equal([]);
    },
  };
  return fixture;
}

describeLimitStore('memory and a file', (at) => Promise.resolve(open(at)));

describe('counters in memory and a file', () => {
  const client = { kind: 'quota', id: 'a', limits: { requestsPerMinute: 5, requestsPerDay: 50 } } as const;

  it('are in the file before consume resolves, one line of JSON per quota', async () => {
    const fixture = open({ now: start });
    await Promise.all(
      Array.from({ length: 100 }, (_, index) => fixture.store.consume({ ...client, id: `b${String(index % 10)}` })),
    );
    const text = readFileSync(fixture.file, 'utf8');
    const lines = text.split('\n').slice(0, -1);
    expect(lines.map(({ length }) => length)).to.deep.equal(Array.from({ length: 10 }, () => lineBytes - 1));
    expect(lines.map((line) => JSON.parse(line) as object)).to.have.deep.nested.property('[9].quotaId', 'b9');
    const usage = await fixture.administration.usage(['b0', 'b9', 'none']);
    expect([...usage].map(([id, { minuteUsed, minuteRejected }]) => [id, minuteUsed, minuteRejected])).to.deep.equal([
      ['b0', 5, 5],
      ['b9', 5, 5],
    ]);
    await fixture.close();
  });

  it('use the lines of deleted quotas again', async () => {
    const at = { now: start };
    const fixture = open(at);
    for (const id of ['a', 'b', 'c']) await fixture.store.consume({ ...client, id });
    at.now += 49 * 60 * 60 * 1000;
    await fixture.store.consume({ ...client, id: 'b' });
    fixture.store.sweep();
    for (const id of ['d', 'e']) await fixture.store.consume({ ...client, id });
    expect(readFileSync(fixture.file)).to.have.length(3 * lineBytes);
    expect(await fixture.administration.usage(['a', 'b', 'c', 'd', 'e'])).to.have.all.keys('b', 'd', 'e');
    await fixture.restart();
    for (const id of ['f', 'g']) await fixture.store.consume({ ...client, id });
    expect(await fixture.administration.usage(['b', 'd', 'e', 'f', 'g'])).to.have.property('size', 5);
    await fixture.close();
  });

  it('fit into a line with the largest numbers', async () => {
    const directory = temporaryDirectory();
    const numbers = Object.keys(newQuotaState()).map((field) => [field, Number.MAX_SAFE_INTEGER]);
    const states = new Map([[`quota_${randomText(12)}`, Object.fromEntries(numbers) as QuotaState]]);
    const create = () => new CounterFile(directory, Date.now, (event) => expect.fail(String(event)));
    const counters = create();
    counters.write(states);
    await counters.close();
    const reopened = create();
    expect(reopened.states).to.deep.equal(states);
    await reopened.close();
  });

  for (const [damage, text] of [
    ['is not JSON', '{"quotaId":"a","minute'],
    ['begins with other bytes', '\uFEFF{"quotaId":"a","minute'],
    ['lacks a number', '{"quotaId":"a","minuteUsed":5}'],
    ['has a negative number', JSON.stringify({ quotaId: 'a', ...newQuotaState(), minuteUsed: -1 })],
    ['has a number that is too large', JSON.stringify({ quotaId: 'a', ...newQuotaState(), bannedUntil: 1e300 })],
  ] as const) {
    it(`are lost for a quota whose line ${damage}, which is reported, and are kept for others`, async () => {
      const fixture = open({ now: start });
      for (const id of ['a', 'b']) await fixture.store.consume({ ...client, id });
      const file = readFileSync(fixture.file);
      file.fill(' ', 0, lineBytes - 1).write(text);
      writeFileSync(fixture.file, file);
      await fixture.restart();
      expect(fixture.messages()).to.deep.equal([
        'Damaged lines in limits.ndjson: 1. The windows of their quotas begin again.',
      ]);
      fixture.reported.length = 0;
      const remaining = async (id: string) => (await fixture.store.consume({ ...client, id })).reportedWindow.remaining;
      expect([await remaining('a'), await remaining('b')]).to.deep.equal([4, 3]);
      expect(readFileSync(fixture.file)).to.have.length(2 * lineBytes);
      await fixture.close();
    });
  }

  it('are the later ones if a quota has two lines, as after a power failure', async () => {
    const fixture = open({ now: start });
    for (const id of ['a', 'b']) await fixture.store.consume({ ...client, id });
    const older = readFileSync(fixture.file).subarray(0, lineBytes);
    await fixture.store.consume({ ...client, id: 'a' });
    for (const position of ['before', 'after']) {
      const file = readFileSync(fixture.file);
      writeFileSync(fixture.file, Buffer.concat(position === 'before' ? [older, file] : [file, older]));
      await fixture.restart();
      const usage = await fixture.administration.usage(['a', 'b']);
      expect(
        [...usage.values()].map(({ minuteUsed }) => minuteUsed),
        position,
      ).to.have.members([2, 1]);
    }
    for (const id of ['c', 'd', 'e']) await fixture.store.consume({ ...client, id });
    expect(readFileSync(fixture.file)).to.have.length(5 * lineBytes);
    expect(await fixture.administration.usage(['a', 'b', 'c', 'd', 'e'])).to.have.property('size', 5);
    await fixture.close();
  });

  it('survive a last line that was not written completely', async () => {
    const fixture = open({ now: start });
    for (const id of ['a', 'b']) await fixture.store.consume({ ...client, id });
    writeFileSync(fixture.file, readFileSync(fixture.file).subarray(0, lineBytes + 100));
    await fixture.restart();
    expect(fixture.messages()).to.have.length(1);
    fixture.reported.length = 0;
    for (const id of ['b', 'a']) await fixture.store.consume({ ...client, id });
    const usage = await fixture.administration.usage(['a', 'b']);
    expect([...usage].map(([id, { minuteUsed }]) => [id, minuteUsed])).to.have.deep.members([
      ['a', 2],
      ['b', 1],
    ]);
    await fixture.close();
  });

  it('delete unused quotas in memory and in the file', async () => {
    const at = { now: start };
    const fixture = open(at);
    await fixture.store.consume(client);
    at.now += 1000;
    fixture.store.sweep();
    expect(await fixture.administration.usage(['a', 'b'])).to.have.all.keys('a');
    at.now += 49 * 60 * 60 * 1000;
    fixture.store.sweep();
    expect(await fixture.administration.usage(['a', 'b'])).to.have.property('size', 0);
    await fixture.close();
  });

  it('count exactly on a full disk, which is reported once, and are written when there is space', async function () {
    const directory = mountSmallDisk(this, 2 ** 20);
    const fixture = open({ now: start }, directory);
    const usedOf = async (ids: readonly string[]) =>
      [...(await fixture.administration.usage(ids)).values()].map(({ minuteUsed }) => minuteUsed);
    try {
      await fixture.store.consume({ ...client, id: 'q0' });
      fillDisk(directory);
      // Eight lines fit into the block that the file has already.
      const ids = Array.from({ length: 20 }, (_, index) => `q${String(index)}`);
      for (let round = 0; round < 6; round += 1) {
        for (const id of ids) {
          const { rejectedBy } = await fixture.store.consume({ ...client, id });
          expect(rejectedBy !== undefined, `${id}, ${String(round)}`).to.equal(round >= (id === 'q0' ? 4 : 5));
        }
        await fixture.check();
      }
      expect(fixture.messages()).to.have.length(1);
      expect(fixture.messages()[0]).to.contain(': the disk is full.');
      // Quotas that have a line are written all the same.
      expect(await usedOf(['q0', 'q7'])).to.deep.equal([5, 5]);
      freeDisk(directory);
      for (let second = 0; second < 2; second += 1) await fixture.check();
      expect(fixture.reported.map((event) => (event as StoreEvent).kind)).to.deep.equal([
        'storage outage',
        'storage recovered',
      ]);
      expect(await usedOf(ids)).to.deep.equal(ids.map(() => 5));
    } finally {
      fixture.reported.length = 0;
      await fixture.close();
      unmount(directory);
    }
  });

  it('cannot be in a named pipe, which would block the start', () => {
    const directory = temporaryDirectory();
    execFileSync('mkfifo', [join(directory, fileNames.counters)]);
    expect(() => open({ now: start }, directory)).to.throw(StartError, 'cannot be opened: it is not a regular file.');
  });

  it('cannot start without reading the unbans that operators have requested', () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, fileNames.unbans), '');
    expect(() => open({ now: start }, directory)).to.throw(StartError, 'limits.ndjson cannot be opened: ENOTDIR');
  });

  it('are in memory after the file was deleted, which is reported once', async () => {
    const fixture = open({ now: start });
    await fixture.store.consume(client);
    rmSync(fixture.file);
    for (let second = 0; second < 3; second += 1) await fixture.check();
    expect((await fixture.store.consume(client)).reportedWindow.remaining).to.equal(3);
    await fixture.check();
    expect(existsSync(fixture.file)).to.equal(false);
    expect(fixture.messages()).to.have.length(1);
    expect(fixture.messages()[0]).to.contain(
      ': it was moved, deleted or replaced; put it back, or restart the server.',
    );
    fixture.reported.length = 0;
    await fixture.close();
  });

  it('are complete in a file that was moved and put back', async () => {
    const fixture = open({ now: start });
    await fixture.store.consume(client);
    renameSync(fixture.file, `${fixture.file}.away`);
    await fixture.check();
    await fixture.store.consume(client);
    renameSync(`${fixture.file}.away`, fixture.file);
    for (let second = 0; second < 2; second += 1) await fixture.check();
    expect(fixture.reported.map((event) => (event as StoreEvent).kind)).to.deep.equal([
      'storage outage',
      'storage recovered',
    ]);
    fixture.reported.length = 0;
    expect((await fixture.administration.usage(['a'])).get('a')).to.include({ minuteUsed: 2 });
    await fixture.close();
  });
});
