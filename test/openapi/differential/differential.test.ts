import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import fc from 'fast-check';
import { operationIdsOf } from '#src/openapi/document.js';
import { document } from '../../support/contract/contract-requests.js';
import { addressDeviations } from './address-deviations.js';
import { type BackendResult, type TriedRequest, tryBoth } from './both-backends.js';
import type { Deviation } from './deviation.js';
import { anyRequest, corpus } from './request-corpus.js';
import { valueDeviations } from './value-deviations.js';

const deviations = [...addressDeviations, ...valueDeviations];

/**
 * openapi-backend with the compiled router and validator, against openapi-backend as its README sets it up. The type of
 * a body is not compared: neither checks it. src/http does, and test/http/middleware/json-body.test.ts covers it.
 */
describe('openapi-backend with the compiled router and validator', () => {
  describe('differs from openapi-backend in this case:', () => {
    for (const deviation of deviations) {
      it(`${deviation.name}: ${deviation.reason}`, async () => {
        const { ours, stock } = await tryBoth(deviation.example);
        expect(deviation.concerns(deviation.example)).to.equal(true);
        expect(isDeepStrictEqual(ours, stock), 'There is no difference any more: remove the entry.').to.equal(false);
        expect(explains(deviation, ours, stock), JSON.stringify({ ours, stock }, asText)).to.equal(true);
      });
    }

    it('names each difference once', () => {
      expect(new Set(deviations.map(({ name }) => name)).size).to.equal(deviations.length);
    });
  });

  it('handles valid and invalid requests like openapi-backend, except for the listed differences', async () => {
    const unlisted = (await Promise.all(corpus.map(differences))).flat();
    expect(unlisted).to.deep.equal([]);
  });

  it('handles generated requests like openapi-backend, except for the listed differences', async () => {
    await fc.assert(
      fc.asyncProperty(anyRequest, async (request) => {
        expect(await differences(request)).to.deep.equal([]);
      }),
      { numRuns: 3000 },
    );
  });

  it('is tested with requests of every result', async () => {
    const results = await Promise.all(corpus.map(async (request) => (await tryBoth(request)).ours));
    const handled = results.flatMap((result) => (result.kind === 'handled' ? result.id : result.kind));
    expect([...new Set(handled)]).to.have.members([
      ...operationIdsOf(document),
      ...['unknown path', 'unknown method', 'unauthorized', 'invalid'],
    ]);
  });
});

/** Describes the difference, unless a listed deviation explains it. */
async function differences(request: TriedRequest): Promise<string[]> {
  const { ours, stock } = await tryBoth(request);
  if (isExplained(request, ours, stock)) return [];
  return [`${JSON.stringify(request)}: ${JSON.stringify(ours, asText)}, stock ${JSON.stringify(stock, asText)}`];
}

function isExplained(request: TriedRequest, ours: BackendResult, theirs: BackendResult): boolean {
  const concerned = deviations.filter((deviation) => deviation.concerns(request));
  const reconciled = concerned.reduce((result, deviation) => reconcile(deviation, result), theirs);
  return isDeepStrictEqual(ours, reconciled) || concerned.some((deviation) => explains(deviation, ours, reconciled));
}

function explains(deviation: Deviation, ours: BackendResult, theirs: BackendResult): boolean {
  if (deviation.reconcile !== undefined) return isDeepStrictEqual(ours, reconcile(deviation, theirs));
  return (deviation.ours ?? ours.kind) === ours.kind && (deviation.theirs ?? theirs.kind) === theirs.kind;
}

function reconcile({ reconcile: change }: Deviation, result: BackendResult): BackendResult {
  return result.kind === 'handled' && change !== undefined ? change(result) : result;
}

function asText(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${String(value)}n` : value;
}
