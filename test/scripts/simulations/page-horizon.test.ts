import { expect } from 'chai';
import fc from 'fast-check';
import { bucketCount, bucketOf, firstIdAt, idAtLeast } from '../../../scripts/simulations/page-horizon/pet-ids.js';
import { complete, incomplete, type Scenario, simulate } from '../../../scripts/simulations/page-horizon/simulate.js';

const seeds = [1, 2, 3, 4, 5];
const durationMs = 30_000;
const node = fc.integer({ min: 0, max: 255 });
const bound = fc.integer({ min: 0, max: 2 ** 52 });

describe('ids that nodes assign', () => {
  it('fill 53 bits in 69 years', () => {
    const lastUnitMs = (2 ** 37 - 1) * 16;
    expect(firstIdAt(lastUnitMs) + 2 ** 16 - 1).to.equal(Number.MAX_SAFE_INTEGER);
    expect(Math.floor(lastUnitMs / 1000 / 3600 / 24 / 365.25)).to.equal(69);
  });

  it('are the smallest of the node that are not below the bound', () => {
    fc.assert(
      fc.property(bound, node, (least, number) => {
        const id = idAtLeast(least, number);
        expect(Math.floor(id / 256) % 256).to.equal(number);
        expect(id).to.be.within(least, least + 2 ** 16);
        expect(idAtLeast(id, number)).to.equal(id);
        if (id > least) expect(id % 256).to.equal(0);
      }),
    );
  });

  it('ascend when the counter is exhausted', () => {
    const ids: number[] = [];
    for (let count = 0; count < 600; count += 1) ids.push(idAtLeast((ids.at(-1) ?? firstIdAt(1600) - 1) + 1, 255));
    expect(ids).to.deep.equal([...new Set(ids)].sort((one, other) => one - other));
    expect(ids.at(-1)).to.be.below(firstIdAt(1600 + 3 * 16));
  });

  it('are in the bucket of their node', () => {
    fc.assert(
      fc.property(bound, node, (least, number) => {
        expect(bucketOf(idAtLeast(least, number))).to.equal(number % bucketCount);
      }),
    );
  });
});

describe('the simulation of pages on a distributed database', () => {
  const resultsOf = (scenario: Scenario) => seeds.map((seed) => simulate(seed, durationMs, scenario));

  for (const [title, scenario] of Object.entries(complete)) {
    it(`misses no pet and assigns no id twice with ${title}`, () => {
      const results = resultsOf(scenario);
      for (const { pets, missed, duplicates } of results) {
        expect({ missed, duplicates }).to.deep.equal({ missed: 0, duplicates: 0 });
        expect(pets).to.be.above(10_000);
      }
      // With faults, nodes lose their leases, and batches are rejected.
      for (const field of ['lostLeases', 'fencedBatches'] as const)
        expect(results.some((result) => result[field] > 0)).to.equal(scenario.faults.pauses > 0);
    });
  }

  for (const [title, scenario] of Object.entries(incomplete)) {
    it(`misses pets if ${title}`, () => {
      expect(resultsOf(scenario).some(({ missed }) => missed > 0)).to.equal(true);
    });
  }

  it('gives the same result for the same seed', () => {
    const scenario = complete['all rules'] as Scenario;
    expect(simulate(7, 5000, scenario)).to.deep.equal(simulate(7, 5000, scenario));
    expect(simulate(8, 5000, scenario)).not.to.deep.equal(simulate(7, 5000, scenario));
  });
});
