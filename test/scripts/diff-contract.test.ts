import { expect } from 'chai';
import { type ContractDocument } from '#contract-server/contract/document.js';
import { operationsOf } from '#contract-server/contract/operations.js';
import type { ComparedDocument } from '#contract-server/diff/compared-document.js';
import { diffContract } from '#contract-server/diff/diff-contract.js';
import type { Effect } from '#contract-server/diff/verdicts.js';
import type { Json } from '#contract-server-test/support/contract/changed-contract.js';
import { contract } from '../support/pet-store.js';

/** New values by their paths; `undefined` removes a value. */
type Edits = Readonly<Record<string, Json | undefined>>;

const document = edited(contract.document, {}, '1.0.0');
const effects: readonly Effect[] = ['annotation', 'non-breaking', 'breaking'];
const list = 'paths /pets get';
const create = 'paths /pets post';
const get = 'paths /pets/{petId} get';
const headers = 'components headers';
const parameters = 'components parameters';
const schemas = 'components schemas';
const newPet = `${schemas} NewPet properties`;
const pet = `${schemas} Pet properties`;
const states = ['available', 'pending', 'sold'];
const statusOf = (...values: string[]) => ({ type: 'string', enum: values, default: 'available' });
const deprecated = (day: string) => ({ [`${list} deprecated`]: true, [`${list} x-deprecated-at`]: day });
const sunset = (day: string) => ({ [`${list} x-sunset`]: day });

/** The effect of changes on clients; `always breaking` also if the operations are experimental. */
const changes: readonly (readonly [effect: Effect | 'always breaking', change: string, edits: Edits])[] = [
  ['breaking', 'an operation removed', { [create]: undefined }],
  ['breaking', 'an operation under another path', { [list]: undefined, 'paths /Other': { get: { responses: {} } } }],
  ['breaking', 'an operation renamed', { [`${list} operationId`]: 'no operation' }],
  ['breaking', 'an operation with a lower stability', { [`${list} x-stability`]: 'beta' }],
  ['non-breaking', 'an operation added', { 'paths /Other': { get: { 'x-stability': 'stable', responses: {} } } }],
  ['non-breaking', 'a removal announced for tomorrow', { ...deprecated('2027-01-31'), ...sunset('2029-06-02') }],
  ['breaking', 'a removal announced for today', { ...deprecated('2027-01-31'), ...sunset('2029-06-01') }],
  ['breaking', 'a removal before the deprecation', { ...deprecated('2029-07-01'), ...sunset('2029-06-30') }],
  ['breaking', 'a removal without a deprecation', sunset('2039-01-01')],
  ['breaking', 'a removal moved forward', { [`${get} x-sunset`]: '2030-12-04' }],
  ['non-breaking', 'a removal postponed', { [`${get} x-sunset`]: '2030-12-06' }],
  ['non-breaking', 'a removal withdrawn', { [`${get} x-sunset`]: undefined }],
  ['breaking', 'a limit of a parameter narrowed', { [`${parameters} Limit schema maximum`]: 50 }],
  ['breaking', 'a parameter renamed', { [`${parameters} Limit name`]: 'size' }],
  ['breaking', 'keys kept shorter', { [`${parameters} IdempotencyKey x-idempotency-retention-seconds`]: 60 }],
  ['breaking', 'an optional field made required', { [`${schemas} NewPet required`]: ['name', 'categoryId', 'status'] }],
  ['breaking', 'an optional field removed', { [`${newPet} status`]: undefined }],
  ['breaking', 'another pattern of a field', { [`${newPet} name pattern`]: '^[a-z]+$' }],
  ['breaking', 'an allowed value removed', { [`${newPet} status`]: statusOf('available', 'sold') }],
  ['non-breaking', 'an allowed value added', { [`${newPet} status`]: statusOf(...states, 'lost') }],
  ['non-breaking', 'a request field that may be null', { [`${newPet} name nullable`]: true }],
  ['breaking', 'a smaller maximum body size', { [`${create} requestBody x-max-body-bytes`]: 1024 }],
  ['non-breaking', 'more values in a body', { [`${create} requestBody x-max-body-values`]: 2000 }],
  ['breaking', 'a status removed', { [`${create} responses 422`]: undefined }],
  ['breaking', 'a default response removed', { [`${list} responses default`]: undefined }],
  ['breaking', 'a field removed from a response', { [`${pet} status`]: undefined }],
  ['breaking', 'another pattern of a response field', { [`${schemas} Error properties code pattern`]: '^[a-z_]+$' }],
  ['breaking', 'a response field that may be null', { [`${pet} name nullable`]: true }],
  ['breaking', 'a response field without its format', { [`${pet} id format`]: undefined }],
  ['breaking', 'a header removed', { [`${list} responses 200 headers Link`]: undefined }],
  ['breaking', 'a header no longer required', { [`${headers} WWW-Authenticate required`]: undefined }],
  ['non-breaking', 'a header added', { [`${list} responses 200 headers X-Total`]: { schema: { type: 'integer' } } }],
  ['breaking', 'another pattern of a header', { [`${headers} NextPageLink schema pattern`]: '^<' }],
  ['breaking', 'a value added to a header', { [`${headers} Idempotent-Replayed schema enum`]: ['true', 'false'] }],
  ['non-breaking', 'a header narrowed', { [`${headers} Location schema maxLength`]: 2000 }],
  ['breaking', 'a second API key required', { [`${list} security`]: [{ apiKey: [], second: [] }] }],
  ['non-breaking', 'an operation without authentication', { [`${list} security`]: [] }],
  ['always breaking', 'another prefix of keys', { 'components securitySchemes apiKey x-key-prefixes production': 'a' }],
  ['always breaking', 'a plan with a lower limit', { 'x-rate-limit-plans free requestsPerMinute': 59 }],
  ['non-breaking', 'a plan added', { 'x-rate-limit-plans team': { requestsPerMinute: 1, requestsPerDay: 1 } }],
  ['always breaking', 'a plan removed', { 'x-rate-limit-plans business': undefined }],
  ['always breaking', 'earlier bans', { 'x-rate-limit-ban rejectedRequestsFactor': 5 }],
  ['always breaking', 'longer bans', { 'x-rate-limit-ban seconds': 1800 }],
  ['non-breaking', 'shorter bans', { 'x-rate-limit-ban seconds': 60 }],
  ['breaking', 'an operation limited', { [`${list} x-rate-limit`]: { requests: 5, seconds: 60 } }],
  ['non-breaking', 'an operation no longer limited', { [`${create} x-rate-limit`]: undefined }],
  ['breaking', 'an operation with a lower limit', { [`${create} x-rate-limit requests`]: 4 }],
  ['non-breaking', 'an operation with a higher limit', { [`${create} x-rate-limit requests`]: 6 }],
  ['breaking', 'an operation with a longer window', { [`${create} x-rate-limit seconds`]: 61 }],
  ['non-breaking', 'an operation with a shorter window', { [`${create} x-rate-limit seconds`]: 59 }],
  ['non-breaking', 'an error code added', { 'x-error-codes pet_lost': { status: 404, cause: 'The pet is lost.' } }],
  ['always breaking', 'an error code removed', { 'x-error-codes pet_not_found': undefined }],
  ['always breaking', 'an error code with another status', { 'x-error-codes pet_not_found status': 410 }],
  ['annotation', 'another resolution of an error code', { 'x-error-codes pet_not_found resolution': 'List the pets.' }],
  ['annotation', 'an extension of another tool', { 'x-quota': 5 }],
  ['annotation', 'another introduction', { 'info description': 'Pets.' }],
];

function edited(before: ContractDocument, edits: Edits, version = before.info.version): ContractDocument {
  const copy = structuredClone(before);
  const all: Edits = { ...edits, 'info version': version };
  for (const [path, value] of Object.entries(all)) {
    type Node = Record<string, unknown>;
    const names = path.split(' ');
    const parent = names.slice(0, -1).reduce((node, name) => node[name] as Node, copy as unknown as Node);
    if (value === undefined) Reflect.deleteProperty(parent, names.at(-1) ?? '');
    else parent[names.at(-1) ?? ''] = value;
  }
  return copy;
}

/** The contract with the same stability for all operations, and a limit of one operation. */
function released(stability: string): ContractDocument {
  const paths = operationsOf(document).map(({ path, method }) => `paths ${path} ${method} x-stability`);
  const limit = { [`${create} x-rate-limit`]: { requests: 5, seconds: 60 } };
  return edited(document, { ...Object.fromEntries(paths.map((path) => [path, stability])), ...limit });
}

const today = '2029-06-01';
const diff = (before: ContractDocument, after: ContractDocument, day = today) => {
  const found = diffContract(before as unknown as ComparedDocument, after as unknown as ComparedDocument, day);
  return { changes: found.changes, problems: [...found.breakingProblems, ...found.versionProblems] };
};
const tooLow = (least: string, version: string) => `info.version must be at least ${least}, and is ${version}.`;
const breaks = (change: string) => `${change}. This breaks clients of 1.0.0.`;

describe('diffContract', () => {
  const [stable, experimental] = [released('stable'), released('experimental')];
  for (const [effect, change, edits] of changes)
    it(`classifies as ${effect}: ${change}`, () => {
      const worst = effect === 'always breaking' ? 'breaking' : effect;
      for (const before of [stable, experimental]) {
        const expected = before === experimental && effect === 'breaking' ? 'non-breaking' : worst;
        const [version, compatible] = expected === 'annotation' ? ['1.0.0', '1.0.1'] : ['1.0.9', '1.1.0'];
        const least = expected === 'breaking' ? '2.0.0' : compatible;
        const { changes, problems } = diff(before, edited(before, edits, version));
        const found = Math.max(0, ...changes.map((each) => effects.indexOf(each.effect)));
        expect(effects[found], JSON.stringify(changes)).to.equal(expected);
        expect(problems.at(-1)).to.equal(tooLow(least, version));
        expect(problems.length > 1, problems.join(' ')).to.equal(expected === 'breaking');
      }
    });

  it('finds no changes in an equal contract, or in one with an additional reference', () => {
    expect(diff(document, document)).to.deep.equal({ changes: [], problems: [] });
    const name = { type: 'string', description: "The pet's name.", example: 'Rex' };
    const edits = { [`${schemas} PetName`]: name, [`${pet} name`]: { $ref: '#/components/schemas/PetName' } };
    expect(diff(document, edited(document, edits))).to.deep.equal({
      changes: [],
      problems: [tooLow('1.0.1', '1.0.0')],
    });
  });

  const [removal, v2] = [{ [get]: undefined }, { servers: [{ url: '/v2' }] }];
  const absolute = [{ url: 'https://{host}/v1', variables: { host: { default: 'api.petstore.example' } } }];
  const cases: readonly (readonly [title: string, edits: Edits, version: string, day: string, problems: string[]])[] = [
    ['accepts a change with a matching version', { 'info description': 'Pets.' }, '1.0.1', today, []],
    ['accepts a higher stability', { 'paths /store/orders get x-stability': 'stable' }, '1.1.0', today, []],
    ['accepts the removal of an operation from its x-sunset on', removal, '1.1.0', '2030-12-05', []],
    [
      'rejects a removal before x-sunset',
      ...([removal, '1.1.0', '2030-12-04'] as const),
      [breaks('getPet: operation removed'), tooLow('2.0.0', '1.1.0')],
    ],
    ['accepts breaking changes under another path prefix', { ...v2, [create]: undefined }, '2.0.0', today, []],
    ['finds the path prefix of an absolute URL', { servers: absolute }, '1.1.0', today, []],
    ['rejects another path prefix', v2, '1.0.0', today, ['The path prefix of version 1.0.0 is /v2.']],
    ['rejects another major version', {}, '0.9.0', today, ['The path prefix of version 0.9.0 is /v1.']],
  ];
  for (const [title, edits, version, day, problems] of cases)
    it(title, () => expect(diff(document, edited(document, edits, version), day).problems).to.deep.equal(problems));

  it('names each breaking change and the required version', () => {
    const { problems } = diff(document, edited(document, { [create]: undefined }));
    expect(problems).to.deep.equal([breaks('createPet: operation removed'), tooLow('2.0.0', '1.0.0')]);
    const [before, after] = ['1.2.0', '1.1.9'].map((version) => edited(document, {}, version));
    expect(diff(before ?? document, after ?? document).problems).to.deep.equal([tooLow('1.2.0', '1.1.9')]);
  });
});
