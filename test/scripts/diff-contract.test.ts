import { expect } from 'chai';
import { type ContractDocument, operationsOf } from '#src/openapi/document.js';
import { contractUrl, readContract } from '#src/openapi/load-contract.js';
import type { Effect } from '../../scripts/compatibility-rules.js';
import { type Contract, diffContract } from '../../scripts/diff-contract.js';
import { type Edit, knownChanges } from './contract-changes.js';

const { document } = await readContract(contractUrl);
const today = '2029-06-01';
const effects: readonly Effect[] = ['annotation', 'non-breaking', 'breaking'];

/** The contract with the same stability for all operations. */
function released(stability: 'stable' | 'experimental'): ContractDocument {
  const edits = operationsOf(document).map(({ path, method }) => ({
    path: ['paths', path, method, 'x-stability'],
    value: stability,
  }));
  return edited(document, edits);
}

function edited(before: ContractDocument, edits: readonly Edit[]): ContractDocument {
  const copy = structuredClone(before);
  for (const { path, value } of edits) {
    type Node = Record<string, unknown>;
    const parent = path.slice(0, -1).reduce((node, name) => node[name] as Node, copy as unknown as Node);
    const name = path.at(-1) ?? '';
    if (value === undefined) Reflect.deleteProperty(parent, name);
    else parent[name] = value;
  }
  return copy;
}

const diff = (before: ContractDocument, after: ContractDocument, day = today) =>
  diffContract(before as unknown as Contract, after as unknown as Contract, day);
const version = (value: string): Edit => ({ path: ['info', 'version'], value });

describe('diffContract', () => {
  for (const { name, edits, ...expected } of knownChanges) {
    for (const stability of ['stable', 'experimental'] as const) {
      const effect = expected[stability];
      it(`classifies as ${effect}, if operations are ${stability}: ${name}`, () => {
        const before = released(stability);
        const [tooLow, least] = effect === 'annotation' ? ['1.0.0', '1.0.1'] : ['1.0.9', '1.1.0'];
        const { changes, problems } = diff(before, edited(before, [...edits, version(tooLow)]));
        const worst = Math.max(0, ...changes.map((change) => effects.indexOf(change.effect)));
        expect(effects[worst], JSON.stringify(changes)).to.equal(effect);
        expect(problems.at(-1)).to.equal(`info.version must be at least ${least}, and is ${tooLow}.`);
        expect(problems.length > 1, problems.join(' ')).to.equal(effect === 'breaking');
      });
    }
  }

  it('finds no changes in an equal contract, or in one with an additional reference', () => {
    expect(diff(document, document)).to.deep.equal({ changes: [], problems: [] });
    const named = edited(document, [
      {
        path: ['components', 'schemas', 'PetName'],
        value: { type: 'string', description: "The pet's name.", example: 'Rex' },
      },
      { path: ['components', 'schemas', 'Pet', 'properties', 'name'], value: { $ref: '#/components/schemas/PetName' } },
    ]);
    expect(diff(document, named)).to.deep.equal({
      changes: [],
      problems: ['info.version must be at least 1.0.1, and is 1.0.0.'],
    });
  });

  it('names each breaking change and the required version', () => {
    expect(diff(document, edited(document, [{ path: ['paths', '/pets', 'post'] }])).problems).to.deep.equal([
      'remove paths/~1pets/post breaks clients of 1.0.0.',
      'info.version must be at least 1.1.0, and is 1.0.0.',
    ]);
  });

  it('accepts a change with a matching version', () => {
    const description = { path: ['info', 'description'], value: 'Pets.' };
    const status = { path: ['paths', '/pets', 'post', 'responses', '402'], value: { description: 'Pay.' } };
    expect(diff(document, edited(document, [description, version('1.0.1')])).problems).to.deep.equal([]);
    expect(diff(document, edited(document, [description, status, version('1.1.0')])).problems).to.deep.equal([]);
  });

  it('accepts the removal of an operation from its x-sunset on', () => {
    const removed = edited(document, [{ path: ['paths', '/pets/{petId}'] }, version('1.1.0')]);
    expect(diff(document, removed, '2030-12-04').problems).to.have.lengthOf(1);
    expect(diff(document, removed, '2030-12-05').problems).to.deep.equal([]);
  });

  it('accepts breaking changes under another path prefix, which must match the major version', () => {
    const breaking = [{ path: ['paths', '/pets', 'post'] }];
    const servers = { path: ['servers'], value: [{ url: '/v2' }] };
    expect(diff(document, edited(document, [...breaking, servers, version('2.0.0')])).problems).to.deep.equal([]);
    const wrong = [edited(document, [servers]), edited(document, [version('2.0.0')])].map(
      (after) => diff(document, after).problems,
    );
    expect(wrong).to.deep.equal([
      ['The path prefix of version 1.0.0 is /v2.'],
      ['The path prefix of version 2.0.0 is /v1.'],
    ]);
  });

  it('rejects a version below the released one', () => {
    expect(diff(document, edited(document, [version('0.9.0')])).problems).to.deep.equal([
      'The path prefix of version 0.9.0 is /v1.',
    ]);
    const later = edited(document, [version('1.2.0')]);
    expect(diff(later, edited(later, [version('1.1.9')])).problems).to.deep.equal([
      'info.version must be at least 1.2.0, and is 1.1.9.',
    ]);
  });
});
