import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import fc from 'fast-check';
import { addressDeviations } from './address-deviations.js';
import type { Deviation } from './deviation.js';
import { anyRequest, corpus } from './request-corpus.js';
import { type TriedRequest, tryAll, type Verdict } from './three-ways.js';
import { valueDeviations } from './value-deviations.js';

const deviations = [...addressDeviations, ...valueDeviations];
const ways = ['inherited', 'stock'] as const;

/**
 * The way of a request that ContractBackend overrides, against the one that it inherits and against openapi-backend as it comes.
 * The type of a body is not compared: none of the three looks at it. src/http does, and test/http/request-body.test.ts holds it.
 */
describe('the way of a request', () => {
  describe('deviates from openapi-backend, as it is meant to:', () => {
    for (const deviation of deviations) {
      for (const way of deviation.from) {
        it(`${deviation.name} (${way}): ${deviation.reason}`, async () => {
          const verdicts = await tryAll(deviation.example);
          expect(deviation.concerns(deviation.example)).to.equal(true);
          expect(isDeepStrictEqual(verdicts.ours, verdicts[way]), 'It no longer differs: strike it from the table.').to.equal(
            false,
          );
          expect(explains(deviation, verdicts.ours, verdicts[way]), JSON.stringify(verdicts, asText)).to.equal(true);
        });
      }
    }

    it('each under a name of its own', () => {
      expect(new Set(deviations.map(({ name }) => name)).size).to.equal(deviations.length);
    });
  });

  it('deviates in nothing else, over a corpus of good and bad requests', async () => {
    const unlisted = (await Promise.all(corpus.map(differences))).flat();
    expect(unlisted).to.deep.equal([]);
  });

  it('deviates in nothing else, however the oddities are combined', async () => {
    await fc.assert(
      fc.asyncProperty(anyRequest, async (request) => {
        expect(await differences(request)).to.deep.equal([]);
      }),
      { numRuns: 3000 },
    );
  });

  it('is tried with requests of every outcome', async () => {
    const verdicts = await Promise.all(corpus.map(async (request) => (await tryAll(request)).ours));
    const handled = verdicts.flatMap((verdict) => (verdict.kind === 'handled' ? verdict.id : verdict.kind));
    expect([...new Set(handled)]).to.have.members([
      ...['listPets', 'createPet', 'getPet', 'listOrders'],
      ...['unknown path', 'unknown method', 'unauthorized', 'invalid'],
    ]);
  });
});

/** The differences that no deviation in the table explains, in words. */
async function differences(request: TriedRequest): Promise<string[]> {
  const verdicts = await tryAll(request);
  return ways
    .filter((way) => !isExplained(request, way, verdicts.ours, verdicts[way]))
    .map(
      (way) =>
        `${JSON.stringify(request)}: ${JSON.stringify(verdicts.ours, asText)}, ${way} ${JSON.stringify(verdicts[way], asText)}`,
    );
}

function isExplained(request: TriedRequest, way: (typeof ways)[number], ours: Verdict, theirs: Verdict): boolean {
  const concerned = deviations.filter((deviation) => deviation.from.includes(way) && deviation.concerns(request));
  const reconciled = concerned.reduce((verdict, deviation) => reconcile(deviation, verdict), theirs);
  return isDeepStrictEqual(ours, reconciled) || concerned.some((deviation) => explains(deviation, ours, reconciled));
}

function explains(deviation: Deviation, ours: Verdict, theirs: Verdict): boolean {
  if (deviation.reconcile !== undefined) return isDeepStrictEqual(ours, reconcile(deviation, theirs));
  return (deviation.ours ?? ours.kind) === ours.kind && (deviation.theirs ?? theirs.kind) === theirs.kind;
}

function reconcile({ reconcile: change }: Deviation, verdict: Verdict): Verdict {
  return verdict.kind === 'handled' && change !== undefined ? change(verdict) : verdict;
}

function asText(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${String(value)}n` : value;
}
