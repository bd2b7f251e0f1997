import { expect } from 'chai';
import { ServedDocument } from '#src/http/docs/served-document.js';

describe('ServedDocument', () => {
  it('is read once for concurrent requests, and again after a failure', async () => {
    let reads = 0;
    const read = async () => {
      reads += 1;
      await Promise.resolve();
      if (reads === 1) throw new Error('The disk does not respond.');
      return Buffer.from('text');
    };
    const document = new ServedDocument('text/plain', read, {});
    const results = await Promise.allSettled([document.version(), document.version()]);
    expect(results.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
    const [one, other] = await Promise.all([document.version(), document.version()]);
    expect(one).to.equal(other).and.match(/^v=/);
    expect(reads).to.equal(2);
  });
});
