import type { ContractDocument } from '@contract-server/core/contract/document.js';
import { operationsOf } from '@contract-server/core/contract/operations.js';
import type { Json } from '@contract-server/test-support/contract/changed-contract.js';
import { expect } from 'chai';
import { parse } from 'yaml';
import type { ComparedDocument } from '#dist/compared-document.js';
import { diffContract } from '#dist/diff-contract.js';
import type { Effect } from '#dist/verdicts.js';

/** New values by their paths; `undefined` removes a value. */
type Edits = Readonly<Record<string, Json | undefined>>;

const document = parse(`
openapi: 3.0.4
info: { title: Toys, version: 1.0.0 }
servers: [{ url: /v1 }]
security: [{ apiKey: [] }]
x-rate-limit-plans:
  free: { requestsPerMinute: 60, requestsPerDay: 1000 }
  business: { requestsPerMinute: 1000, requestsPerDay: 100000 }
x-rate-limit-address-plan: free
x-rate-limit-ban: { rejectedRequestsFactor: 10, seconds: 900 }
x-error-codes: { toy_not_found: { status: 404, cause: No toy has the id., resolution: List the toys. } }
paths:
  /toys:
    get:
      operationId: listToys
      parameters: [{ name: limit, in: query, schema: { type: integer, maximum: 100 } }]
      responses: { "200": { description: Toys }, default: { description: An error } }
    post:
      operationId: createToy
      x-rate-limit: { requests: 5, seconds: 60 }
      requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/NewToy" } } } }
      responses: { "201": { description: The toy }, "422": { description: The weight is wrong } }
  /toys/{toyId}:
    get:
      operationId: getToy
      deprecated: true
      x-deprecated-at: "2026-11-24"
      x-sunset: "2030-12-05"
      parameters: [{ name: toyId, in: path, required: true, schema: { type: integer } }]
      responses: { "200": { description: The toy } }
  /parts:
    get: { operationId: listParts, x-stability: experimental, responses: { "200": { description: Parts } } }
components:
  securitySchemes:
    apiKey: { type: http, scheme: bearer, x-key-prefixes: { production: toys_live_, staging: toys_test_ } }
  schemas:
    NewToy:
      type: object
      required: [name]
      properties: { name: { type: string }, weight: { type: integer } }
`) as ContractDocument;
const effects: readonly Effect[] = ['annotation', 'non-breaking', 'breaking'];
const list = 'paths /toys get';
const create = 'paths /toys post';
const get = 'paths /toys/{toyId} get';
const newToy = 'components schemas NewToy';
const deprecated = (day: string) => ({ [`${list} deprecated`]: true, [`${list} x-deprecated-at`]: day });
const sunset = (day: string) => ({ [`${list} x-sunset`]: day });

/**
 * The effect of changes on clients; `always breaking` also if the operations are experimental. operation-rules.test.ts
 * and schema-rules.test.ts have those of all other changes.
 */
const changes: readonly (readonly [effect: Effect | 'always breaking', change: string, edits: Edits])[] = [
  ['breaking', 'an operation removed', { [create]: undefined }],
  ['breaking', 'an operation under another path', { [list]: undefined, 'paths /Other': { get: { responses: {} } } }],
  ['breaking', 'an operation with a lower stability', { [`${list} x-stability`]: 'beta' }],
  ['non-breaking', 'an operation added', { 'paths /Other': { get: { 'x-stability': 'stable', responses: {} } } }],
  ['non-breaking', 'a removal announced for tomorrow', { ...deprecated('2027-01-31'), ...sunset('2029-06-02') }],
  ['breaking', 'a removal announced for today', { ...deprecated('2027-01-31'), ...sunset('2029-06-01') }],
  ['breaking', 'a removal before the deprecation', { ...deprecated('2029-07-01'), ...sunset('2029-06-30') }],
  ['breaking', 'a removal without a deprecation', sunset('2039-01-01')],
  ['breaking', 'a removal moved forward', { [`${get} x-sunset`]: '2030-12-04' }],
  ['non-breaking', 'a removal postponed', { [`${get} x-sunset`]: '2030-12-06' }],
  ['non-breaking', 'a removal withdrawn', { [`${get} x-sunset`]: undefined }],
  ['breaking', 'a limit of a parameter narrowed', { [`${list} parameters 0 schema maximum`]: 50 }],
  ['breaking', 'an optional field made required', { [`${newToy} required`]: ['name', 'weight'] }],
  ['breaking', 'an optional field removed', { [`${newToy} properties weight`]: undefined }],
  ['breaking', 'a status removed', { [`${create} responses 422`]: undefined }],
  ['breaking', 'a default response removed', { [`${list} responses default`]: undefined }],
  ['non-breaking', 'an operation without authentication', { [`${list} security`]: [] }],
  ['always breaking', 'another prefix of keys', { 'components securitySchemes apiKey x-key-prefixes production': 'a' }],
  ['always breaking', 'a plan with a lower limit', { 'x-rate-limit-plans free requestsPerMinute': 59 }],
  ['non-breaking', 'a plan added', { 'x-rate-limit-plans team': { requestsPerMinute: 1, requestsPerDay: 1 } }],
  ['always breaking', 'a plan removed', { 'x-rate-limit-plans business': undefined }],
  ['always breaking', 'earlier bans', { 'x-rate-limit-ban rejectedRequestsFactor': 5 }],
  ['always breaking', 'longer bans', { 'x-rate-limit-ban seconds': 1800 }],
  ['non-breaking', 'shorter bans', { 'x-rate-limit-ban seconds': 60 }],
  ['breaking', 'an operation limited', { [`${list} x-rate-limit`]: { requests: 5, seconds: 60 } }],
  ['breaking', 'an operation with a lower limit', { [`${create} x-rate-limit requests`]: 4 }],
  ['non-breaking', 'an operation with a shorter window', { [`${create} x-rate-limit seconds`]: 59 }],
  ['non-breaking', 'an error code added', { 'x-error-codes toy_lost': { status: 404, cause: 'The toy is lost.' } }],
  ['always breaking', 'an error code removed', { 'x-error-codes toy_not_found': undefined }],
  ['always breaking', 'an error code with another status', { 'x-error-codes toy_not_found status': 410 }],
  ['annotation', 'another resolution of an error code', { 'x-error-codes toy_not_found resolution': 'Look.' }],
  ['annotation', 'an extension of another tool', { 'x-quota': 5 }],
  ['annotation', 'another introduction', { 'info description': 'Toys.' }],
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

/** The contract with the same stability for all operations. */
function released(stability: string): ContractDocument {
  const paths = operationsOf(document).map(({ path, method }) => `paths ${path} ${method} x-stability`);
  return edited(document, Object.fromEntries(paths.map((path) => [path, stability])));
}

const today = '2029-06-01';
const diff = (before: ContractDocument, after: ContractDocument, day = today) => {
  const found = diffContract(before as unknown as ComparedDocument, after as unknown as ComparedDocument, day);
  return { changes: found.changes, problems: [...found.breakingProblems, ...found.versionProblems] };
};
const tooLow = (least: string, version: string) => `info.version must be at least ${least}, and is ${version}.`;
const breaks = (change: string) => `${change}. This breaks clients of 1.0.0.`;

describe('The rules of stability, removals and versions', () => {
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
    const reference = { $ref: '#/components/schemas/ToyName' };
    const edits = { 'components schemas ToyName': { type: 'string' }, [`${newToy} properties name`]: reference };
    expect(diff(document, edited(document, edits))).to.deep.equal({
      changes: [],
      problems: [tooLow('1.0.1', '1.0.0')],
    });
  });

  const [removal, v2] = [{ [get]: undefined }, { servers: [{ url: '/v2' }] }];
  const absolute = [{ url: 'https://{host}/v1', variables: { host: { default: 'api.toys.example' } } }];
  const cases: readonly (readonly [title: string, edits: Edits, version: string, day: string, problems: string[]])[] = [
    ['accepts a change with a matching version', { 'info description': 'Toys.' }, '1.0.1', today, []],
    ['accepts a higher stability', { 'paths /parts get x-stability': 'stable' }, '1.1.0', today, []],
    ['accepts the removal of an operation from its x-sunset on', removal, '1.1.0', '2030-12-05', []],
    [
      'rejects a removal before x-sunset',
      ...([removal, '1.1.0', '2030-12-04'] as const),
      [breaks('getToy: operation removed'), tooLow('2.0.0', '1.1.0')],
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
    expect(problems).to.deep.equal([breaks('createToy: operation removed'), tooLow('2.0.0', '1.0.0')]);
    const [before, after] = ['1.2.0', '1.1.9'].map((version) => edited(document, {}, version));
    expect(diff(before ?? document, after ?? document).problems).to.deep.equal([tooLow('1.2.0', '1.1.9')]);
  });
});
