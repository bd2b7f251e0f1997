import { expect } from 'chai';
import { AddressLimit } from '#src/http/address-limit.js';
import { minuteMs } from '#src/rate-limits/decide.js';
import { start } from '../support/rate-limits/quota.js';

describe('AddressLimit', () => {
  const { now } = Date;
  const at = { now: start };
  // The store of express-rate-limit reads the time itself.
  before(() => (Date.now = () => at.now));
  after(() => (Date.now = now));

  it('counts malformed HTTP in a minute per address, and never rejects it', async () => {
    const limit = new AddressLimit(2);
    const count = async (address: string | undefined) => {
      const { rejectedBy, minute, decidedAt } = await limit.count(address);
      expect([rejectedBy, decidedAt]).to.deep.equal([undefined, Date.now()]);
      return minute.remaining;
    };
    expect([await count('192.0.2.1'), await count('::ffff:192.0.2.1'), await count('192.0.2.1')]).to.deep.equal([
      1, 0, 0,
    ]);
    expect([await count('2001:db8:0:ff00::1'), await count('2001:db8:0:ff12::2')], 'one /56').to.deep.equal([1, 0]);
    expect([await count(undefined), await count(undefined)], 'unknown addresses count together').to.deep.equal([1, 0]);
    at.now = start + minuteMs - 1;
    expect((await limit.peek('192.0.2.1')).minute).to.include({ remaining: 0, resetAt: start + minuteMs });
    at.now = start + minuteMs;
    expect((await limit.peek('192.0.2.1')).minute).to.include({ remaining: 2, resetAt: start + 2 * minuteMs });
    expect(await count('192.0.2.1')).to.equal(1);
  });
});
