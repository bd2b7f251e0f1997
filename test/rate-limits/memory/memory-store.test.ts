import { expect } from 'chai';
import { addressesMax, MemoryRateLimitStore } from '#src/rate-limits/memory/memory-store.js';
import { rules, start } from '../../support/rate-limits/quota.js';

describe('counters of client addresses', () => {
  it('are kept for their whole minute', async () => {
    const at = { now: start };
    const store = new MemoryRateLimitStore(
      rules,
      () => at.now,
      (error) => expect.fail(String(error)),
    );
    const admit = (id: string) => store.consume({ kind: 'address', id, limits: { requestsPerMinute: 1 } });
    await admit('192.0.2.1');
    at.now += 30_000;
    await admit('192.0.2.2');
    at.now += 29_999;
    expect((await admit('192.0.2.1')).rejectedBy).to.equal('minute');
    at.now += 1;
    expect((await admit('192.0.2.1')).rejectedBy).to.equal(undefined);
    expect((await admit('192.0.2.2')).rejectedBy, 'started before the turn').to.equal('minute');
  });

  it('are limited in number, and only those of the last minute are kept', async () => {
    const at = { now: start };
    const store = new MemoryRateLimitStore(
      rules,
      () => at.now,
      (error) => expect.fail(String(error)),
    );
    const admit = (index: number) =>
      store.consume({
        kind: 'address',
        id: `2001:db8:${index.toString(16)}::`,
        limits: { requestsPerMinute: 1 },
      });
    for (let index = 0; index < addressesMax + 1000; index += 1) await admit(index);
    expect(store.addressCount).to.be.within(addressesMax / 2, addressesMax);
    expect((await admit(addressesMax + 999)).rejectedBy).to.equal('minute');
    for (const index of [0, 1]) {
      at.now += 60_000;
      await admit(index);
    }
    expect(store.addressCount).to.equal(2);
  });
});
