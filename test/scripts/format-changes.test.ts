import { expect } from 'chai';
import type { ContractDocument } from '#src/openapi/document.js';
import { contractUrl, readContract } from '#src/openapi/load-contract.js';
import type { Contract } from '../../scripts/diff-contract.js';
import { formatChanges } from '../../scripts/format-changes.js';
import { changedContract, type Json } from '../support/contract/changed-contract.js';

const { document } = await readContract(contractUrl);

function format(after: ContractDocument): string[] {
  return formatChanges(document as unknown as Contract, after as unknown as Contract, '2029-06-01');
}

describe('formatChanges', () => {
  it('returns no lines if nothing has changed', () => {
    expect(format(document)).to.deep.equal([]);
  });

  for (const [path, value, line] of [
    [['info', 'title'], 'Pet Shop', 'docs     changed info/title'],
    [['paths', '/pets', 'post'], undefined, 'BREAKING removed operation of POST /pets'],
    [
      ['components', 'parameters', 'Limit', 'schema', 'maximum'],
      50,
      'BREAKING changed parameter limit maximum (100 → 50) of GET /pets',
    ],
    [
      ['paths', '/store/orders', 'get', 'operationId'],
      'no operation',
      'allowed  changed operationId (listOrders → no operation) of GET /store/orders',
    ],
    [['paths', '/pets', 'get', 'responses', '503'], undefined, 'BREAKING removed responses 503 of GET /pets'],
  ] as const satisfies readonly (readonly [readonly string[], Json | undefined, string])[]) {
    it(`formats a change as: ${line}`, () => {
      expect(format(changedContract(path, value))).to.deep.equal([line]);
    });
  }

  it('names an added parameter, which the contract before the change does not have', () => {
    const parameter = { name: 'order', in: 'query', schema: { type: 'string' } };
    const { parameters = [] } = document.paths['/pets']?.get as unknown as { parameters?: Json[] };
    const after = changedContract(['paths', '/pets', 'get', 'parameters'], [...parameters, parameter]);
    expect(format(after)).to.deep.equal(['allowed  added parameter order of GET /pets']);
  });

  it('formats a change of a component as one line, with the operations that use it', () => {
    const [line = '', ...others] = format(
      changedContract(['components', 'schemas', 'Error', 'properties', 'code', 'example'], 'x'),
    );
    expect(others).to.deep.equal([]);
    expect(line).to.match(
      /^docs {5}changed code example of GET \/pets 400, GET \/pets 401, GET \/pets 429 and \d+ more$/,
    );
  });
});
