import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import fc from 'fast-check';
import { addressDeviations } from './address-deviations.js';
import { type TriedRequest, tryBoth, type Verdict } from './both-backends.js';
import type { Deviation } from './deviation.js';
import { anyRequest, corpus } from './request-corpus.js';
import { valueDeviations } from './value-deviations.js';

const deviations = [...addressDeviations, ...valueDeviations];

/**
 * openapi-backend with the compiled router and validator, against openapi-backend as its README sets it up. The type of
 * a body is not compared: neither checks it. src/http does, and test/http/request-body.test.ts covers it.
 */
describe('openapi-backend with the compiled router and validator', () => {
  describe('deviates from openapi-backend on purpose:', () => {
    for (const deviation of deviations) {
      it(`${deviation.name}: ${deviation.reason}`, async () => {
        const { ours, stock } = await tryBoth(deviation.example);
        expect(deviation.concerns(deviation.example)).to.equal(true);
        expect(isDeepStrictEqual(ours, stock), 'It no longer differs: strike it from the table.').to.equal(false);
        expect(explains(deviation, ours, stock), JSON.stringify({ ours, stock }, asText)).to.equal(true);
      });
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
    const verdicts = await Promise.all(corpus.map(async (request) => (await tryBoth(request)).ours));
    const handled = verdicts.flatMap((verdict) => (verdict.kind === 'handled' ? verdict.id : verdict.kind));
    expect([...new Set(handled)]).to.have.members([
      ...['listPets', 'createPet', 'getPet', 'listOrders'],
      ...['unknown path', 'unknown method', 'unauthorized', 'invalid'],
    ]);
  });
});

/** The difference that no deviation in the table explains, in words, or none. */
async function differences(request: TriedRequest): Promise<string[]> {
  const { ours, stock } = await tryBoth(request);
  if (isExplained(request, ours, stock)) return [];
  return [`${JSON.stringify(request)}: ${JSON.stringify(ours, asText)}, stock ${JSON.stringify(stock, asText)}`];
}

function isExplained(request: TriedRequest, ours: Verdict, theirs: Verdict): boolean {
  const concerned = deviations.filter((deviation) => deviation.concerns(request));
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
