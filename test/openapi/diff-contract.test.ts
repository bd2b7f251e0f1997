import { expect } from 'chai';
import { type ContractDocument, operationsOf } from '#src/openapi/document.js';
import { contractUrl, readContract } from '#src/openapi/load-contract.js';
import type { Contract, Effect } from '../../scripts/contract-change.js';
import { judgeContract } from '../../scripts/diff-contract.js';
import { type Edit, knownChanges } from './contract-changes.js';

const { document } = await readContract(contractUrl);
const today = '2029-06-01';
const effects: readonly Effect[] = ['prose', 'addition', 'breaking'];

/** The contract as if all operations were that settled. */
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

const judge = (before: ContractDocument, after: ContractDocument, day = today) =>
  judgeContract(before as unknown as Contract, after as unknown as Contract, day);
const version = (value: string): Edit => ({ path: ['info', 'version'], value });

describe('the judgement of a change of the contract', () => {
  for (const { name, edits, ...expected } of knownChanges) {
    for (const stability of ['stable', 'experimental'] as const) {
      const effect = expected[stability];
      it(`${name}: ${effect} where operations are ${stability}`, () => {
        const before = released(stability);
        const [tooLow, least] = effect === 'prose' ? ['1.0.0', '1.0.1'] : ['1.0.9', '1.1.0'];
        const { changes, problems } = judge(before, edited(before, [...edits, version(tooLow)]));
        const worst = Math.max(0, ...changes.map((change) => effects.indexOf(change.effect)));
        expect(effects[worst], JSON.stringify(changes)).to.equal(effect);
        expect(problems.at(-1)).to.equal(`info.version must be at least ${least}, and is ${tooLow}.`);
        expect(problems.length > 1, problems.join(' ')).to.equal(effect === 'breaking');
      });
    }
  }

  it('finds nothing where nothing has changed, also where a part was given a name', () => {
    expect(judge(document, document)).to.deep.equal({ changes: [], problems: [] });
    const named = edited(document, [
      {
        path: ['components', 'schemas', 'PetName'],
        value: { type: 'string', description: "The animal's name.", example: 'Rex' },
      },
      { path: ['components', 'schemas', 'Pet', 'properties', 'name'], value: { $ref: '#/components/schemas/PetName' } },
    ]);
    expect(judge(document, named)).to.deep.equal({
      changes: [],
      problems: ['info.version must be at least 1.0.1, and is 1.0.0.'],
    });
  });

  it('names what breaks, and the version', () => {
    expect(judge(document, edited(document, [{ path: ['paths', '/pets', 'post'] }])).problems).to.deep.equal([
      'remove paths/~1pets/post breaks clients of 1.0.0.',
      'info.version must be at least 1.1.0, and is 1.0.0.',
    ]);
  });

  it('takes a change whose version says it', () => {
    const words = { path: ['info', 'description'], value: 'Animals.' };
    const status = { path: ['paths', '/pets', 'post', 'responses', '402'], value: { description: 'Pay.' } };
    expect(judge(document, edited(document, [words, version('1.0.1')])).problems).to.deep.equal([]);
    expect(judge(document, edited(document, [words, status, version('1.1.0')])).problems).to.deep.equal([]);
  });

  it('lets an operation go from the day on that the release had announced', () => {
    const gone = edited(document, [{ path: ['paths', '/pets/{petId}'] }, version('1.1.0')]);
    expect(judge(document, gone, '2030-12-04').problems).to.have.lengthOf(1);
    expect(judge(document, gone, '2030-12-05').problems).to.deep.equal([]);
  });

  it('lets everything change under another path prefix, which is that of the major version', () => {
    const breaking = [{ path: ['paths', '/pets', 'post'] }];
    const servers = { path: ['servers'], value: [{ url: '/v2' }] };
    expect(judge(document, edited(document, [...breaking, servers, version('2.0.0')])).problems).to.deep.equal([]);
    const wrong = [edited(document, [servers]), edited(document, [version('2.0.0')])].map(
      (after) => judge(document, after).problems,
    );
    expect(wrong).to.deep.equal([
      ['The path prefix of version 1.0.0 is /v2.'],
      ['The path prefix of version 2.0.0 is /v1.'],
    ]);
  });

  it('knows no version below the one that was released', () => {
    expect(judge(document, edited(document, [version('0.9.0')])).problems).to.deep.equal([
      'The path prefix of version 0.9.0 is /v1.',
    ]);
    const later = edited(document, [version('1.2.0')]);
    expect(judge(later, edited(later, [version('1.1.9')])).problems).to.deep.equal([
      'info.version must be at least 1.2.0, and is 1.1.9.',
    ]);
  });
});
