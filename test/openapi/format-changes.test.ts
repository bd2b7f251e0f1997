import { expect } from 'chai';
import type { ContractDocument } from '#src/openapi/document.js';
import { contractUrl, readContract } from '#src/openapi/load-contract.js';
import type { Contract } from '../../scripts/contract-change.js';
import { toldChanges } from '../../scripts/format-changes.js';
import { changedContract, type Json } from '../support/changed-contract.js';

const { document } = await readContract(contractUrl);

function told(after: ContractDocument): string[] {
  return toldChanges(document as unknown as Contract, after as unknown as Contract, '2029-06-01');
}

describe('what a person is told of a change of the contract', () => {
  it('is nothing where nothing has changed', () => {
    expect(told(document)).to.deep.equal([]);
  });

  for (const [path, value, line] of [
    [['info', 'title'], 'Pet Shop', 'words    changed info/title'],
    [['paths', '/pets', 'post'], undefined, 'BREAKING removed operation of POST /pets'],
    [
      ['components', 'parameters', 'Limit', 'schema', 'maximum'],
      50,
      'BREAKING changed parameter limit maximum (100 → 50) of GET /pets',
    ],
    [
      ['paths', '/store/orders', 'get', 'operationId'],
      'findOrders',
      'allowed  changed operationId (listOrders → findOrders) of GET /store/orders',
    ],
    [['paths', '/pets', 'get', 'responses', '503'], undefined, 'BREAKING removed responses 503 of GET /pets'],
  ] as const satisfies readonly (readonly [readonly string[], Json | undefined, string])[]) {
    it(`is one line: ${line}`, () => {
      expect(told(changedContract(path, value))).to.deep.equal([line]);
    });
  }

  it('names a parameter that was added, although the contract before does not have it', () => {
    const parameter = { name: 'order', in: 'query', schema: { type: 'string' } };
    const { parameters = [] } = document.paths['/pets']?.get as unknown as { parameters?: Json[] };
    const after = changedContract(['paths', '/pets', 'get', 'parameters'], [...parameters, parameter]);
    expect(told(after)).to.deep.equal(['allowed  added parameter order of GET /pets']);
  });

  it('is one line for what is written once and used in many places', () => {
    const [line = '', ...others] = told(
      changedContract(['components', 'schemas', 'Error', 'properties', 'code', 'example'], 'x'),
    );
    expect(others).to.deep.equal([]);
    expect(line).to.match(
      /^words {4}changed code example of GET \/pets 400, GET \/pets 401, GET \/pets 429 and \d+ more$/,
    );
  });
});
