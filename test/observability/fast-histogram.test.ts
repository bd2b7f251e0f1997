import { expect } from 'chai';
import fc from 'fast-check';
import { Histogram, Registry } from 'prom-client';
import { FastHistogram, type HistogramChild } from '#src/observability/fast-histogram.js';

const buckets = [0.001, 0.01, 0.1, 1];
const options = { name: 'seconds', help: 'How long.', buckets };

describe('FastHistogram', () => {
  it('renders the same samples as the histogram of prom-client', async () => {
    const value = fc.oneof(fc.constantFrom(0, ...buckets, 2), fc.double({ min: 0, max: 3, noNaN: true }));
    const observation = fc.record({ operation: fc.constantFrom('listPets', 'getPet', 'a"b\\c\nd'), value });
    await fc.assert(
      fc.asyncProperty(fc.array(observation), async (observations) => {
        const [own, theirs] = [new Registry(), new Registry()];
        const fast = new FastHistogram(options, own);
        const reference = new Histogram({ ...options, labelNames: ['operation'], registers: [theirs] });
        const children = new Map<string, HistogramChild>();
        for (const { operation, value } of observations) {
          const child = children.get(operation) ?? fast.child({ operation });
          children.set(operation, child);
          child.observe(value);
          reference.observe({ operation }, value);
        }
        expect(linesOf(await own.metrics())).to.deep.equal(linesOf(await theirs.metrics()));
      }),
    );
  });
});

/** The order of samples and labels is not significant. */
function linesOf(text: string): string[] {
  const lines = text.trim().split('\n');
  return lines.map((line) => line.replace(/\{(le="[^"]+"),(.*)\}/s, '{$2,$1}')).sort();
}
